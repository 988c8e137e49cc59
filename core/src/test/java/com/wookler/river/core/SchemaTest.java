package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.config.ConfigParser;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Holds the names of parameters that the schema offers to editors to those that the code takes. */
class SchemaTest {
  private static final String XS = "http://www.w3.org/2001/XMLSchema";

  private Document schema;

  @BeforeEach
  void read() throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    try (InputStream in = ConfigParser.class.getResourceAsStream("river.xsd")) {
      schema = factory.newDocumentBuilder().parse(in);
    }
  }

  private List<String> names(String type) {
    List<String> names = new ArrayList<>();
    NodeList types = schema.getElementsByTagNameNS(XS, "simpleType");
    for (int i = 0; i < types.getLength(); i++) {
      Element found = (Element) types.item(i);
      if (found.getAttribute("name").equals(type)) {
        NodeList values = found.getElementsByTagNameNS(XS, "enumeration");
        for (int j = 0; j < values.getLength(); j++) {
          names.add(((Element) values.item(j)).getAttribute("value"));
        }
      }
    }
    return names;
  }

  @Test
  void shouldOfferEveryParameterAndNoOther() {
    assertThat(names("queueParam"))
        .containsExactlyInAnyOrderElementsOf(
            all(QueueXml.QUEUE_PARAMS, QueueXml.QUEUE_PARAMS_WITHOUT_EFFECT));
    assertThat(names("backupParam")).containsExactlyInAnyOrderElementsOf(QueueXml.BACKUP_PARAMS);
    assertThat(names("subscriberParam"))
        .containsExactlyInAnyOrderElementsOf(
            all(
                QueueXml.SUBSCRIBER_PARAMS,
                QueueXml.SUBSCRIBER_PARAMS_OF_PROCESSORS,
                QueueXml.SUBSCRIBER_PARAMS_WITHOUT_EFFECT));
    assertThat(names("recycleParam"))
        .containsExactlyInAnyOrderElementsOf(all(SizeBasedRecycle.PARAMS, TimeBasedRecycle.PARAMS));
  }

  @SafeVarargs
  private static List<String> all(List<String>... lists) {
    return Stream.of(lists).flatMap(List::stream).toList();
  }
}
