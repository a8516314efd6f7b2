// The buttons at the side of the map, and the pointer's tool that they select.

import { $, h, icon } from "./dom";
import type { Tool } from "./input";

/** The actions of the other buttons. */
export interface Orders {
  home(): void;
  question(): void;
  names(): void;
  outlines(): void;
  compare(): void;
  ways(): void;
  picture(): void;
  theme(): void;
  help(): void;
}

export class Toolbar {
  tool: Tool = "pan";
  private readonly box = $("tools");

  constructor(private readonly over: HTMLElement, on: Orders) {
    this.add("Move the map (V)", "M12 3v18M3 12h18M12 3l-2.5 2.5M12 3l2.5 2.5M12 21l-2.5-2.5M12 21l2.5-2.5M3 12l2.5-2.5M3 12l2.5 2.5M21 12l-2.5-2.5M21 12l-2.5 2.5", "pan");
    this.add("Select with a lasso (L)", "M7 15c-3-1-4-3-4-5 0-4 4-6 9-6s9 2 9 6-4 6-9 6c-1.500 0-3-.2-4-.6M8 15.500a1.800 1.800 0 1 0-2 2.500c0 1.500-1 2.500-2 3", "lasso");
    this.add("Select with a rectangle (R)", "M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M11 4h2M11 20h2M4 11v2M20 11v2", "rectangle");
    this.add("Show all points (0)", "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5", on.home);
    const question = "M12 21s-6.500-6-6.500-11a6.500 6.500 0 0 1 13 0c0 5-6.500 11-6.500 11zM12 12.200a2.200 2.200 0 1 0 0-4.400 2.200 2.200 0 0 0 0 4.400z";
    this.add("Where would this go? (W)", question, on.question).id = "question";
    this.add("Names on the map (N)", "M5 7V5h14v2M12 5v14M9.500 19h5", on.names);
    this.add("Outlines of classes (O)", "M7 5c4-3 10 0 12 4s1 8-3 10-9 1-11-3 0-9 2-11zM10 9c2-1.500 4.500 0 5.500 2s.5 3.500-1.500 4.500-4 .5-5-1.500 0-4 1-5z", on.outlines);
    this.add("Compare two maps (B)", "M4 5h7v14H4zM13 5h7v14h-7zM6.500 9.500l2 2M6.500 14.500l2-1M15.500 12l2-2.500M15.500 14.500l2 1", on.compare).id = "compare";
    this.add("Ways of classes through time (T)", "M4 18c3 0 3-6 7-6s3-6 8-6M16.500 4L19 6l-2 2.500M4 18a1 1 0 1 0 .01 0M11 12a1 1 0 1 0 .01 0", on.ways).id = "ways";
    this.add("Save a picture (P)", "M12 4v11M7.500 10.500L12 15l4.500-4.500M4 16v4h16v-4", on.picture);
    this.add("Light or dark (D)", "M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z", on.theme);
    this.add("Keys (?)", "M9 9a3 3 0 1 1 4 2.800c-.7.3-1 .9-1 1.700M12 17v.1M12 3a9 9 0 1 0 .01 0z", on.help);
  }

  take(t: Tool): void {
    this.tool = t;
    this.over.classList.toggle("picking", t !== "pan");
    for (const b of this.box.querySelectorAll<HTMLElement>("[data-tool]")) b.setAttribute("aria-pressed", String(b.dataset.tool === t));
  }

  /** add appends a button for a tool or an action. */
  private add(title: string, path: string, what: Tool | (() => void)): HTMLElement {
    const press = typeof what === "string" ? () => this.take(what) : what;
    const b = h("button", { title, label: title, on: { click: () => press() } });
    b.append(icon(path));
    if (typeof what === "string") {
      b.dataset.tool = what;
      b.setAttribute("aria-pressed", String(what === this.tool));
    }
    this.box.append(b);
    return b;
  }
}
