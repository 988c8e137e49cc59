package com.wookler.river.common.config;

import java.net.URL;
import java.util.Locale;
import java.util.Objects;
import javax.xml.XMLConstants;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.parsers.SAXParserFactory;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import javax.xml.validation.ValidatorHandler;
import org.xml.sax.SAXException;
import org.xml.sax.XMLReader;

/**
 * Creates the JDK's own XML parser and validator, whatever else is on the class path, without the
 * features through which a document could read files, reach hosts or expand without bound.
 */
final class SecureXml {
  private static final String FEATURES = "http://xml.org/sax/features/";
  private static final String APACHE = "http://apache.org/xml/features/";

  private SecureXml() {}

  static XMLReader reader() throws SAXException {
    try {
      SAXParserFactory factory = SAXParserFactory.newDefaultInstance();
      factory.setNamespaceAware(true);
      factory.setXIncludeAware(false);
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      factory.setFeature(APACHE + "disallow-doctype-decl", true);
      factory.setFeature(APACHE + "nonvalidating/load-external-dtd", false);
      factory.setFeature(FEATURES + "external-general-entities", false);
      factory.setFeature(FEATURES + "external-parameter-entities", false);
      XMLReader reader = factory.newSAXParser().getXMLReader();
      reader.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
      reader.setProperty(XMLConstants.ACCESS_EXTERNAL_SCHEMA, "");
      useEnglishMessages(reader);
      return reader;
    } catch (ParserConfigurationException e) {
      throw new SAXException(e);
    }
  }

  /**
   * Sets English messages, which {@link XmlErrorMessages} parses; only the older interface can set
   * the language.
   */
  @SuppressWarnings("deprecation")
  private static void useEnglishMessages(XMLReader reader) throws SAXException {
    if (reader instanceof org.xml.sax.Parser parser) {
      parser.setLocale(Locale.ROOT); // English, for which there is no bundle of its own
    }
  }

  static ValidatorHandler validator() throws SAXException {
    SchemaFactory factory = SchemaFactory.newDefaultInstance();
    factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
    factory.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
    URL xsd = Objects.requireNonNull(SecureXml.class.getResource("river.xsd"), "river.xsd");
    factory.setProperty(XMLConstants.ACCESS_EXTERNAL_SCHEMA, "");
    Schema schema = factory.newSchema(xsd);
    ValidatorHandler validator = schema.newValidatorHandler();
    validator.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
    validator.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
    validator.setProperty(XMLConstants.ACCESS_EXTERNAL_SCHEMA, "");
    return validator;
  }
}
