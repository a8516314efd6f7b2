// The chip that says how the connection and the stage are.

import { $ } from "./dom";

const phases: Readonly<Record<string, string>> = { waiting: "waiting for events", learning: "learning", halted: "standing still" };

/** A stage that has read no events for this number of seconds is not called live. */
const idle = 30;

/** Link draws the chip: green while the stage is live, amber while nothing comes, it stands still or has no events, red without a connection. */
export class Link {
  private there = true;
  private retry = 0;
  private since = 0;
  private phase = "";
  private quiet = 0;
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

  /** stage takes whether the map is a stage's, the phase of its status, and the number of seconds since it last read events. */
  stage(live: boolean, phase: string, quiet = 0): void {
    this.live = live;
    this.phase = phase;
    this.quiet = quiet;
    this.draw();
  }

  private draw(): void {
    const chip = $("link");
    const waits = this.phase ? (phases[this.phase] ?? this.phase) : this.quiet >= idle ? `no events for ${lasting(this.quiet)}` : "";
    const state = !this.there ? "away" : this.since || (this.live && waits) ? "stale" : "live";
    chip.hidden = state === "live" && !this.live;
    chip.className = `chip ${state}`;
    if (!this.there) chip.textContent = `away, again in ${Math.max(1, Math.round(this.retry / 1000))} s`;
    else if (this.since) chip.textContent = `silent since ${new Date(this.since).toLocaleTimeString()}`;
    else chip.textContent = waits || "live";
  }
}

/** lasting writes a number of seconds. */
function lasting(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}
