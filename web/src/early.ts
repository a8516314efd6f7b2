// Runs before the page's script has come: it is small, and opens the socket meanwhile.

import { openEarly } from "./line";

openEarly();
