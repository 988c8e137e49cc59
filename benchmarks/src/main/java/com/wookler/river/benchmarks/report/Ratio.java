package com.wookler.river.benchmarks.report;

/**
 * How a row relates to another system's row of the same line, round by round: the first round of
 * the one to the first of the other, and so on.
 *
 * @param to the other system
 * @param median of these ratios
 * @param min the least of them
 * @param max the greatest of them
 */
public record Ratio(String to, double median, double min, double max) {}
