// The page's address: it follows the state, and a link, "back" and "forward" restore one.

import { read, write, type State } from "./state";

/** The part of the page that an address needs. */
export interface Stateful {
  /** Whether all points have arrived. */
  readonly whole: boolean;
  state(): State;
  restore(s: State): Promise<void>;
}

export class Address {
  /** The state's part of the address without the position of the view, "?" at first. */
  private last = "?";
  private restoring = 0;

  constructor(private readonly page: Stateful) {
    // The browser also reports a link that is pasted into an open tab.
    addEventListener("popstate", () => {
      if (page.whole) void this.restore(read(location.hash));
    });
  }

  /** restore shows a state. */
  async restore(s: State): Promise<void> {
    this.restoring++;
    await this.page.restore(s);
    this.last = write(this.page.state(), false);
    this.restoring--;
  }

  /** write updates the address. Moves of the view replace it; anything else is a step that "back" undoes. */
  write(): void {
    if (this.restoring > 0) return;
    const s = this.page.state();
    const now = write(s, false);
    const url = location.pathname + location.search + write(s);
    if (now === this.last || this.last === "?") history.replaceState(null, "", url);
    else history.pushState(null, "", url);
    this.last = now;
  }
}
