package com.wookler.river.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds the import lines of the sources to the order of packages. {@code ArchitectureTest} reads
 * classes, in which constants are inlined and imports for Javadoc are missing.
 */
class ImportTest {
  private static final Path ROOT = Path.of("."); // where the tests of this module run
  private static final Pattern SOURCE = Pattern.compile("/src/main/java/.*[.]java$");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([a-z0-9.]+);");
  private static final Pattern IMPORT =
      Pattern.compile("(?m)^import (?:static )?([a-z0-9]+(?:[.][a-z0-9]+)*)[.][A-Z]");

  @Test
  void shouldImportDownwardsOnly() throws IOException {
    List<String> upwards = new ArrayList<>();
    try (Stream<Path> sources =
        Files.find(ROOT, 20, (file, is) -> SOURCE.matcher(file.toString()).find())) {
      for (Path source : sources.toList()) {
        String text = Files.readString(source);
        int own =
            PACKAGE
                .matcher(text)
                .results()
                .mapToInt(found -> floor(found.group(1)))
                .findFirst()
                .orElse(-1);
        IMPORT
            .matcher(text)
            .results()
            .filter(found -> own >= 0 && floor(found.group(1)) >= 0)
            .filter(found -> floor(found.group(1)) < own)
            .forEach(found -> upwards.add(source + ": " + found.group()));
      }
    }
    assertThat(upwards).isEmpty();
  }

  /** How far down a package is; -1 for what is not in the order, such as the JDK's. */
  private static int floor(String name) {
    return name.startsWith(ArchitectureTest.RIVER)
        ? ArchitectureTest.DOWNWARDS.indexOf(name.substring(ArchitectureTest.RIVER.length()))
        : -1;
  }
}
