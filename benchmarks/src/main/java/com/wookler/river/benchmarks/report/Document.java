package com.wookler.river.benchmarks.report;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Markdown text with parts that are generated, each between {@code <!-- generated: NAME -->} and
 * {@code <!-- end -->}. Whatever stands outside of them is written by hand and stays.
 */
final class Document {
  private static final Pattern PART =
      Pattern.compile("(?s)(<!-- generated: ([\\w-]+) -->\n).*?(<!-- end -->)");

  private final String text;

  Document(String text) {
    this.text = text;
  }

  /** The names of its parts, in order. */
  Set<String> parts() {
    Set<String> names = new LinkedHashSet<>();
    Matcher part = PART.matcher(text);
    while (part.find()) {
      names.add(part.group(2));
    }
    return names;
  }

  /** The text with each part made anew from its name. */
  String with(UnaryOperator<String> content) {
    return PART.matcher(text)
        .replaceAll(
            part ->
                Matcher.quoteReplacement(
                    part.group(1) + content.apply(part.group(2)) + part.group(3)));
  }
}
