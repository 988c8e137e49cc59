package com.wookler.river.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Holds the bill of materials to the modules that are published. */
class BomTest {
  private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
  private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(river-[^<]+)</artifactId>");
  private static final Pattern HOME = Pattern.compile("<river.home>([^<]+)</river.home>");
  private static final Pattern VERSION = Pattern.compile("<version>([^<]+)</version>");

  private static String pom(String directory) throws IOException {
    return Files.readString(Path.of(directory, "pom.xml")); // tests run in the root directory
  }

  private static List<String> all(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(found -> found.group(1)).toList();
  }

  private static String first(Pattern pattern, String text) {
    Matcher found = pattern.matcher(text);
    assertThat(found.find()).isTrue();
    return found.group(1);
  }

  /** The first artifact after the parent's is the module's own. */
  private static String artifact(String module) throws IOException {
    return first(ARTIFACT, pom(module).replaceFirst("(?s)<parent>.*?</parent>", ""));
  }

  @Test
  void shouldListEachPublishedModule() throws IOException {
    List<String> published =
        all(MODULE, pom(".")).stream()
            .filter(module -> !module.equals("bom"))
            .filter(BomTest::isPublished)
            .map(
                module -> {
                  try {
                    return artifact(module);
                  } catch (IOException e) {
                    throw new AssertionError(e);
                  }
                })
            .toList();
    List<String> listed = all(ARTIFACT, pom("bom"));
    assertThat(listed.subList(1, listed.size())).containsExactlyInAnyOrderElementsOf(published);
    assertThat(published).contains("river-core").doesNotContain("river-testing");
  }

  private static boolean isPublished(String module) {
    try {
      return !pom(module).contains("<maven.deploy.skip>true<");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldHaveTheVersionOfTheModules() throws IOException {
    assertThat(first(VERSION, pom("bom"))).isEqualTo(first(VERSION, pom(".")));
  }

  @Test
  void shouldHaveTheHomeOfTheModules() throws IOException {
    assertThat(first(HOME, pom("bom"))).isEqualTo(first(HOME, pom(".")));
  }
}
