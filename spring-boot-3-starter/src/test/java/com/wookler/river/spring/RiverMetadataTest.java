package com.wookler.river.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.util.Collections;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** What editors show of the properties. */
class RiverMetadataTest {
  private static final String FILE = "META-INF/spring-configuration-metadata.json";

  /** Returns all files of metadata on the class path, one after the other. */
  private static String metadata() throws IOException {
    StringBuilder all = new StringBuilder();
    ClassLoader loader = RiverProperties.class.getClassLoader();
    for (URL file : Collections.list(loader.getResources(FILE))) {
      try (InputStream in = file.openStream()) {
        all.append(new String(in.readAllBytes(), UTF_8));
      }
    }
    return all.toString();
  }

  @Test
  void shouldDescribeEachProperty() throws IOException {
    String metadata = metadata();
    RecordComponent[] properties = RiverProperties.class.getRecordComponents();
    assertThat(properties).hasSizeGreaterThan(4);
    for (RecordComponent property : properties) {
      String name = property.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
      assertThat(metadata)
          .containsPattern(
              "\"name\": \"river\\."
                  + name
                  + "\",\\s+\"type\": \"[^\"]+\",\\s+\"description\": \"[^\"]+\\.\"");
    }
  }
}
