package com.wookler.river.benchmarks.profile;

import java.util.List;
import java.util.Locale;

/**
 * Draws a tree of counts as a flame graph: a frame is as wide as its share of the samples, and
 * stands on the one that called it. It needs nothing but the file. Confined to one thread.
 */
public final class FlameSvg {
  static final double LEAST_SHARE = 0.002; // narrower frames are left out
  static final int FRAMES_WIDTH = 1_180;

  private static final int MARGIN = 10;
  private static final int ROW = 17;
  private static final int CAPTION_ROW = 18;
  private static final int LEGEND_STEP = 100;
  private static final int LEGEND_BOX = 11;
  private static final int BASELINE = 12; // of a row's text
  private static final int PADDING = 3;
  private static final double CHARACTER = 6.7; // the width of one, in most monospace fonts
  private static final int THREAD_ROWS = 2; // all, and the threads

  private final StringBuilder svg = new StringBuilder(1 << 16);
  private final Stacks all;
  private final int framesTop;
  private final int rows;

  private FlameSvg(Stacks all, int captionLines) {
    this.all = all;
    this.framesTop = MARGIN + (captionLines + 2) * CAPTION_ROW;
    this.rows = rows(all);
  }

  /**
   * The graph as the text of an SVG file.
   *
   * @param caption lines above it, the first one bold
   */
  public static String draw(Stacks all, List<String> caption) {
    return new FlameSvg(all, caption.size()).draw(caption);
  }

  private String draw(List<String> caption) {
    int width = FRAMES_WIDTH + 2 * MARGIN;
    int height = framesTop + rows * ROW + MARGIN;
    append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
            + " viewBox=\"0 0 %d %d\" font-family=\"monospace\" font-size=\"11\">%n",
        width, height, width, height);
    append("<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%n");
    for (int i = 0; i < caption.size(); i++) {
      append(
          "<text x=\"%d\" y=\"%d\" font-family=\"sans-serif\" font-size=\"13\"%s>%s</text>%n",
          MARGIN,
          MARGIN + i * CAPTION_ROW + BASELINE,
          i == 0 ? " font-weight=\"bold\"" : "",
          escape(caption.get(i)));
    }
    legend(MARGIN + caption.size() * CAPTION_ROW);
    frame(all, 0, 0);
    append("</svg>%n");
    return svg.toString();
  }

  private void legend(int top) {
    int x = MARGIN;
    for (Owner owner : Owner.values()) {
      append(
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>%n",
          x, top + PADDING, LEGEND_BOX, LEGEND_BOX, owner.colour());
      append(
          "<text x=\"%d\" y=\"%d\">%s</text>%n",
          x + LEGEND_BOX + PADDING, top + BASELINE, owner.text());
      x += LEGEND_STEP;
    }
  }

  /** A frame and what stands on it, from the sample {@code first} of all on. */
  private void frame(Stacks stacks, int depth, long first) {
    double x = MARGIN + width(first);
    double width = width(stacks.samples());
    int y = framesTop + (rows - 1 - depth) * ROW;
    Owner owner = depth < THREAD_ROWS ? Owner.THREAD : Owner.of(stacks.name());
    append(
        "<g class=\"frame\"><title>%s: %,d samples, %.1f %%</title>",
        escape(stacks.name()), stacks.samples(), 100 * share(stacks));
    append(
        "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\" stroke=\"#ffffff\""
            + " stroke-width=\"0.5\"/>",
        x, y, width, ROW - 1, owner.colour());
    String text = Names.fit(stacks.name(), (int) ((width - 2 * PADDING) / CHARACTER));
    if (!text.isEmpty()) {
      append("<text x=\"%.2f\" y=\"%d\">%s</text>", x + PADDING, y + BASELINE, escape(text));
    }
    append("</g>%n");
    long next = first;
    for (Stacks callee : stacks.callees()) {
      if (shown(callee)) {
        frame(callee, depth + 1, next);
      }
      next += callee.samples();
    }
  }

  private int rows(Stacks stacks) {
    return 1 + stacks.callees().stream().filter(this::shown).mapToInt(this::rows).max().orElse(0);
  }

  private boolean shown(Stacks stacks) {
    return share(stacks) >= LEAST_SHARE;
  }

  private double share(Stacks stacks) {
    return (double) stacks.samples() / Math.max(1, all.samples());
  }

  private double width(long samples) {
    return (double) FRAMES_WIDTH * samples / Math.max(1, all.samples());
  }

  private void append(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format.replace("%n", "\n"), values));
  }

  /** Also drops what no XML may have. */
  private static String escape(String text) {
    return text.replaceAll("\\p{Cntrl}", "")
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
