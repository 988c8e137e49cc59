package com.wookler.river.core.log;

/**
 * A time in which publishers are refused for lack of space, or were.
 *
 * @param number 1 for the log's first in this run, and so on
 * @param text the error that the first of them got
 */
public record Shortage(int number, String text) {}
