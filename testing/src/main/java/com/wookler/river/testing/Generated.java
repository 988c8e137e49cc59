package com.wookler.river.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds a part of a file to what is generated from the code. With the system property {@code
 * river.generated.write} the part is written instead: {@code
 * -DargLine="-Driver.generated.write=true"}.
 */
public final class Generated {
  private Generated() {}

  /**
   * Compares the lines between two others, or writes them.
   *
   * @param after text of the line before the part
   * @param until text of the line behind it, the first one after the part's beginning
   */
  public static void hold(Path file, String after, String until, List<String> lines)
      throws IOException {
    List<String> all = Files.readAllLines(file);
    int from = indexOf(all, after, 0, file) + 1;
    int to = indexOf(all, until, from, file);
    if (all.subList(from, to).equals(lines)) {
      return;
    }
    if (!Boolean.getBoolean("river.generated.write")) {
      throw new AssertionError(
          file
              + " differs from the code behind '"
              + after
              + "'; run this test with -DargLine=\"-Driver.generated.write=true\". It has\n"
              + String.join("\n", all.subList(from, to))
              + "\nand the code says\n"
              + String.join("\n", lines));
    }
    List<String> changed = new ArrayList<>(all.subList(0, from));
    changed.addAll(lines);
    changed.addAll(all.subList(to, all.size()));
    Files.writeString(file, String.join("\n", changed) + "\n");
  }

  private static int indexOf(List<String> lines, String text, int from, Path file) {
    for (int i = from; i < lines.size(); i++) {
      if (lines.get(i).contains(text)) {
        return i;
      }
    }
    throw new AssertionError(file + " has no line with '" + text + "'");
  }
}
