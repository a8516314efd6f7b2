// The chip that says how the connection and the stage are.

import { $ } from "./dom";

const phases: Readonly<Record<string, string>> = { waiting: "waiting for events", learning: "learning", halted: "standing still" };

/** Link draws the chip: green while the stage is live, amber while nothing comes or it stands still, red without a connection. */
export class Link {
  private there = true;
  private retry = 0;
  private since = 0;
  private phase = "";
  private live = false;

  connected(there: boolean, retry: number): void {
    this.there = there;
    this.retry = retry;
    this.since = 0;
    this.draw();
  }

  /** silent takes since when nothing has come, in ms since 1970, or 0. */
  silent(since: number): void {
    this.since = since;
    this.draw();
  }

  /** stage takes whether the map is a stage's, and the phase of its status. */
  stage(live: boolean, phase: string): void {
    this.live = live;
    this.phase = phase;
    this.draw();
  }

  private draw(): void {
    const chip = $("link");
    const state = !this.there ? "away" : this.since || (this.live && this.phase) ? "stale" : "live";
    chip.hidden = state === "live" && !this.live;
    chip.className = `chip ${state}`;
    if (!this.there) chip.textContent = `away, again in ${Math.max(1, Math.round(this.retry / 1000))} s`;
    else if (this.since) chip.textContent = `silent since ${new Date(this.since).toLocaleTimeString()}`;
    else chip.textContent = this.phase ? (phases[this.phase] ?? this.phase) : "live";
  }
}
