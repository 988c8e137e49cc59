package com.wookler.river.common.config;

import com.wookler.river.common.errors.ConfigurationException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.xml.XMLConstants;
import javax.xml.validation.ValidatorHandler;
import org.jspecify.annotations.Nullable;
import org.xml.sax.Attributes;
import org.xml.sax.ErrorHandler;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;
import org.xml.sax.helpers.AttributesImpl;

/**
 * Builds a tree from the elements of all files of a configuration, replaces variables, and
 * validates the result against the schema. Collects errors instead of stopping at the first. Used
 * once, by one thread.
 */
final class TreeBuilder {
  private static final String WRAPPER = "river-configuration-file";
  private static final String ROOT = "river";
  private static final List<String> ROOT_CHILDREN =
      List.of("include", "env", "server", "outbox", "kafka-forward", "defaults", "queue");
  private static final int MAX_DEPTH = 64;
  private static final int MAX_ERRORS = 50;

  private final ValidatorHandler validator;
  private final Interpolation interpolation = new Interpolation();
  private final List<String> errors = new ArrayList<>();
  private final Deque<Element> open = new ArrayDeque<>();
  private @Nullable XmlElement root;

  TreeBuilder(ValidatorHandler validator, SourceLocation start) throws SAXException {
    this.validator = validator;
    Element outer = new Element(WRAPPER, start);
    open.push(outer);
    validator.setErrorHandler(
        new ErrorHandler() {
          @Override
          public void warning(SAXParseException e) {}

          @Override
          public void error(SAXParseException e) throws SAXException {
            String parent = parent();
            String text =
                XmlErrorMessages.ofSchema(String.valueOf(e.getMessage()), current().name, parent);
            boolean isOwn = parent.equals(ROOT) && isNotAllowed(e); // checked at its start
            if (text != null && !isOwn) {
              TreeBuilder.this.error(current().place, current() + ": " + text);
            }
          }

          @Override
          public void fatalError(SAXParseException e) throws SAXException {
            error(e);
          }
        });
    validator.startDocument();
    validator.startElement("", WRAPPER, WRAPPER, new AttributesImpl());
  }

  private static boolean isNotAllowed(SAXParseException e) {
    return String.valueOf(e.getMessage()).matches("(?s)cvc-complex-type\\.2\\.4\\.[acd].*");
  }

  /** Returns the name of the element that contains the current one. */
  private String parent() {
    return open.stream().skip(1).findFirst().map(element -> element.name).orElse(WRAPPER);
  }

  /**
   * Checks the name of an element in the root, which may contain the application's own elements,
   * but no misspelt ones of River.
   */
  private void checkName(Element element) throws AbortException {
    if (parent().equals(ROOT) && !ROOT_CHILDREN.contains(element.name)) {
      Optional<String> near = NameSuggestions.nearest(element.name, ROOT_CHILDREN);
      if (near.isPresent()) {
        error(
            element.place, element + ": is unknown in <river>; did you mean <" + near.get() + ">?");
      }
    }
  }

  /** Records an error, and aborts when there are too many. */
  void error(SourceLocation place, String message) throws AbortException {
    errors.add(place + ": " + message);
    if (errors.size() >= MAX_ERRORS) {
      throw new AbortException();
    }
  }

  void start(String name, Attributes attributes, SourceLocation place) throws SAXException {
    Element element = new Element(name, place);
    open.push(element);
    if (open.size() > MAX_DEPTH) {
      error(place, element + ": elements are nested more than " + MAX_DEPTH + " deep");
      throw new AbortException();
    }
    AttributesImpl resolved = new AttributesImpl();
    for (int i = 0; i < attributes.getLength(); i++) {
      // xsi:schemaLocation and similar attributes are for editors.
      if (!XMLConstants.W3C_XML_SCHEMA_INSTANCE_NS_URI.equals(attributes.getURI(i))) {
        String key = attributes.getQName(i);
        String value = resolve("attribute '" + key + "'", attributes.getValue(i));
        element.attributes.put(key, value);
        resolved.addAttribute("", key, key, "CDATA", value);
      }
    }
    checkName(element);
    validator.startElement("", name, name, resolved);
  }

  void text(char[] text, int start, int length) throws SAXException {
    current().text.append(text, start, length);
    validator.characters(text, start, length);
  }

  void end() throws SAXException {
    Element element = current();
    validator.endElement("", element.name, element.name);
    String text = resolve("the text", element.text.toString().trim());
    open.pop();
    XmlElement node =
        new XmlElement(
            element.name, text, element.attributes, element.children, element.place.location());
    current().children.add(node);
    root = node;
  }

  /**
   * Returns the text with its variables replaced. A variable that is not set is an error of the
   * current element.
   */
  String resolve(String what, String text) throws AbortException {
    try {
      return interpolation.resolve(text);
    } catch (IllegalArgumentException e) {
      error(current().place, current() + ": " + what + ": " + e.getMessage());
      return text;
    }
  }

  /** Ends the document and returns the tree, or throws all errors. */
  ConfigNode finish() throws SAXException {
    validator.endElement("", WRAPPER, WRAPPER);
    validator.endDocument();
    XmlElement complete = root;
    if (!errors.isEmpty() || complete == null) {
      throw failure();
    }
    return new ConfigNode(complete, "");
  }

  ConfigurationException failure() {
    return new ConfigurationException(String.join(System.lineSeparator(), errors));
  }

  private Element current() {
    return open.element();
  }

  /** Aborts the reading; the recorded errors say why. */
  static final class AbortException extends SAXException {
    private static final long serialVersionUID = 1L;
  }

  /** An element that has not ended yet. */
  private static final class Element {
    final String name;
    final SourceLocation place;
    final Map<String, String> attributes = new LinkedHashMap<>();
    final StringBuilder text = new StringBuilder();
    final List<XmlElement> children = new ArrayList<>();

    Element(String name, SourceLocation place) {
      this.name = name;
      this.place = place;
    }

    @Override
    public String toString() {
      Object label = attributes.get("name");
      return label == null ? "<" + name + ">" : "<" + name + " name=\"" + label + "\">";
    }
  }
}
