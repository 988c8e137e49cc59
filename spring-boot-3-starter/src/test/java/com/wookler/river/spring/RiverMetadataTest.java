package com.wookler.river.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/** What editors show of the properties. */
class RiverMetadataTest {
  private static final String FILE = "META-INF/spring-configuration-metadata.json";

  /** Returns the descriptions of all properties on the class path, by name. */
  private static Map<String, Object> descriptions() throws IOException {
    Map<String, Object> all = new HashMap<>();
    ClassLoader loader = RiverProperties.class.getClassLoader();
    for (URL file : Collections.list(loader.getResources(FILE))) {
      try (InputStream in = file.openStream()) {
        String text = new String(in.readAllBytes(), UTF_8);
        List<?> properties =
            (List<?>) JsonParserFactory.getJsonParser().parseMap(text).get("properties");
        for (Object each : properties) {
          Map<?, ?> property = (Map<?, ?>) each;
          all.put((String) property.get("name"), property.get("description"));
        }
      }
    }
    return all;
  }

  @Test
  void shouldDescribeEachProperty() throws IOException {
    Map<String, Object> descriptions = descriptions();
    RecordComponent[] properties = RiverProperties.class.getRecordComponents();
    assertThat(properties).hasSizeGreaterThan(4);
    assertThat(properties)
        .allSatisfy(
            property -> {
              String name =
                  property.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
              assertThat(descriptions.get("river." + name)).asString().endsWith(".");
            });
  }
}
