package com.wookler.river.testing;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The names that a schema offers to editors. */
public final class XsdNames {
  private static final String XS = "http://www.w3.org/2001/XMLSchema";

  private XsdNames() {}

  /** The enumerated values of a simple type; empty if there is none. */
  public static List<String> of(InputStream xsd, String type) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    List<String> names = new ArrayList<>();
    NodeList types =
        factory.newDocumentBuilder().parse(xsd).getElementsByTagNameNS(XS, "simpleType");
    for (int i = 0; i < types.getLength(); i++) {
      Element found = (Element) types.item(i);
      NodeList values = found.getElementsByTagNameNS(XS, "enumeration");
      for (int j = 0; found.getAttribute("name").equals(type) && j < values.getLength(); j++) {
        names.add(((Element) values.item(j)).getAttribute("value"));
      }
    }
    return names;
  }
}
