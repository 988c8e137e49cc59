package com.wookler.river.benchmarks.report;

import java.util.Locale;

/** Figures as tables show them: three digits that mean something, and no more. */
final class Numbers {
  private Numbers() {}

  static String format(double figure) {
    double size = Math.abs(figure);
    String form = size >= 100 || figure == 0 ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, form, figure);
  }

  static String range(double min, double max) {
    return format(min) + "–" + format(max);
  }
}
