package com.wookler.river.testing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds what the page of configuration and the schema of editors say of a table of options to its
 * rows in the code, or writes it, as {@link Generated} does. For tests of modules whose directory
 * is one below that of the project.
 */
public final class GeneratedOptions {
  private static final Path PAGE = Path.of("..", "docs", "configuration.md");
  private static final Path SCHEMA =
      Path.of("../common/src/main/resources/com/wookler/river/common/config/river.xsd");

  private GeneratedOptions() {}

  /**
   * Compares a table of docs/configuration.md.
   *
   * @param after text of the line before the table
   * @param until text of the line after it: a row that is not generated, or one below the table
   * @param rows the lines of the options
   */
  public static void holdRows(String after, String until, List<String> rows) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add("| element | XML name | Java | default | unit | allowed | changes | meaning |");
    lines.add("|---|---|---|---|---|---|---|---|");
    lines.addAll(rows);
    if (!until.startsWith("|")) {
      lines.add("");
    }
    Generated.hold(PAGE, after, until, lines);
  }

  /**
   * Compares the names that river.xsd offers for parameters.
   *
   * @param type the simple type that has them
   */
  public static void holdNames(String type, Iterable<String> names) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("    <xs:restriction base=\"xs:string\">");
    for (String name : names) {
      lines.add("      <xs:enumeration value=\"" + name + "\"/>");
    }
    Generated.hold(SCHEMA, "<xs:simpleType name=\"" + type + "\">", "</xs:restriction>", lines);
  }
}
