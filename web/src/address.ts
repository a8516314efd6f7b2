// The page's address follows the state. A link, "back" and "forward" restore a state.

import { read, write, type State } from "./state";

/** The part of the page whose state is in the address. */
export interface Stateful {
  /** Whether all points have arrived. */
  readonly whole: boolean;
  state(): State;
  restore(s: State): Promise<void>;
}

export class Address {
  /** The last address without the view, the time and the theme; "?" at first. */
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

  /** write updates the address. Changes of the view, the time or the theme replace it. Other changes are steps that "back" undoes. */
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
