package com.wookler.river.reactor.processors;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.reactor.processors.StatusRules.Meaning;
import com.wookler.river.testing.XsdNames;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Holds the names of parameters that the schema offers to editors to those that the code takes. */
class SchemaTest {
  private static List<String> offered(String type) throws Exception {
    try (InputStream xsd = ConfigParser.class.getResourceAsStream("river.xsd")) {
      return XsdNames.of(xsd, type);
    }
  }

  /** The parameters stand in constants of the processors. */
  @Test
  void shouldOfferEveryParameterAndNoOther() throws Exception {
    Set<String> known = new TreeSet<>(TrustedCertificates.PARAMS);
    known.add("ignore.exception");
    known.add("async.max.in.flight");
    List.of(Meaning.AWAY, Meaning.RETRY, Meaning.REJECT)
        .forEach(meaning -> known.add(StatusRules.param(meaning)));
    for (Class<?> processor :
        List.of(
            BatchingProcessor.class,
            FileProcessor.class,
            HttpProcessor.class,
            QueueProcessor.class,
            RetryProcessor.class)) {
      for (Field field : processor.getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
          field.setAccessible(true);
          String value = (String) field.get(null);
          if (value.matches("[a-z]+(\\.[a-z]+)+")) { // "http.header." is the beginning of any
            known.add(value);
          }
        }
      }
    }

    assertThat(offered("processorParam")).containsExactlyInAnyOrderElementsOf(known);
  }
}
