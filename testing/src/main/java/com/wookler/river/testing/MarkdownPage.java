package com.wookler.river.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** A page of the documentation, as tests read it: without its blocks of code. */
public final class MarkdownPage {
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

  private final Path file;
  private final List<String> lines = new ArrayList<>();

  /**
   * Reads a page.
   *
   * @throws IOException the file cannot be read
   */
  public MarkdownPage(Path file) throws IOException {
    this.file = file;
    boolean code = false;
    for (String line : Files.readAllLines(file)) {
      if (line.strip().startsWith("```")) {
        code = !code;
      } else if (!code) {
        lines.add(line);
      }
    }
  }

  /** Returns the lines of all tables. */
  public List<String> tableRows() {
    return lines.stream().filter(line -> line.strip().startsWith("|")).toList();
  }

  /** Returns the anchors of all headings, as GitHub makes them. */
  public List<String> anchors() {
    return anchors(1);
  }

  /** Returns the anchors of the headings of this level and below, 1 being the page's title. */
  public List<String> anchors(int level) {
    Map<String, Integer> times = new HashMap<>();
    List<String> anchors = new ArrayList<>();
    for (String line : lines) {
      if (line.matches("#{1,6} .*")) {
        String title = line.replaceFirst("#+ ", "").replaceAll("\\[([^]]*)\\]\\([^)]*\\)", "$1");
        String slug =
            title.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-');
        int before = times.merge(slug, 1, Integer::sum) - 1;
        if (line.indexOf(' ') >= level) {
          anchors.add(before == 0 ? slug : slug + "-" + before);
        }
      }
    }
    return anchors;
  }

  /** Returns the links of this page within the repository that lead nowhere. */
  public List<String> brokenLinks() throws IOException {
    List<String> broken = new ArrayList<>();
    for (String line : lines) {
      String text = line.replaceAll("`[^`]*`", "``");
      for (String link : LINK.matcher(text).results().map(found -> found.group(1)).toList()) {
        if (!link.contains(":") && isBroken(link)) {
          broken.add(link);
        }
      }
    }
    return broken;
  }

  private boolean isBroken(String link) throws IOException {
    String[] parts = link.split("#", 2);
    Path target = parts[0].isEmpty() ? file : file.resolveSibling(parts[0]);
    if (!Files.exists(target)) {
      return true;
    }
    return parts.length == 2
        && target.toString().endsWith(".md")
        && !new MarkdownPage(target).anchors().contains(parts[1]);
  }
}
