package com.wookler.river.common.config;

import com.wookler.river.common.errors.ConfigurationException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xml.sax.Attributes;
import org.xml.sax.InputSource;
import org.xml.sax.Locator;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;
import org.xml.sax.XMLReader;
import org.xml.sax.ext.DefaultHandler2;

/**
 * Reads one configuration with all its includes in one pass: the elements of all files go into one
 * {@link TreeBuilder}, so that the schema is applied to the whole, and every node and error has its
 * file and line, which commons-configuration's reader does not provide. Used once, by one thread.
 */
final class DocumentReader {
  private static final String INCLUDE = "include";
  private static final int MAX_INCLUDES = 1_000;

  private final Path directory;
  private final TreeBuilder tree;

  /** The files being read, the innermost first, with labels for messages. */
  private final Deque<Reading> readings = new ArrayDeque<>();

  private int includes;

  private record Reading(Path real, String label) {}

  private DocumentReader(Path file, TreeBuilder tree) {
    Path parent = file.toAbsolutePath().normalize().getParent();
    this.directory = parent == null ? file.toAbsolutePath() : parent;
    this.tree = tree;
  }

  static ConfigNode read(Path file) {
    Path name = file.getFileName();
    String label = name == null ? file.toString() : name.toString();
    SourceLocation start = new SourceLocation(label, 1, 1);
    try {
      TreeBuilder tree = new TreeBuilder(SecureXml.validator(), start);
      try {
        new DocumentReader(file, tree).parse(file, label, start, "cannot read " + file);
        return tree.finish();
      } catch (TreeBuilder.AbortException e) {
        throw tree.failure();
      }
    } catch (SAXException e) {
      throw new ConfigurationException(start + ": " + e.getMessage(), e);
    }
  }

  private void parse(Path path, String label, SourceLocation from, String failure)
      throws SAXException {
    try (InputStream in = Files.newInputStream(path)) {
      readings.push(new Reading(path.toRealPath(), label));
      XMLReader reader = SecureXml.reader();
      FileHandler handler = new FileHandler(path, label);
      reader.setContentHandler(handler);
      reader.setErrorHandler(handler);
      reader.setEntityResolver(handler);
      reader.setProperty("http://xml.org/sax/properties/lexical-handler", handler);
      reader.parse(new InputSource(in));
      readings.pop();
    } catch (NoSuchFileException e) {
      tree.error(from, failure + ": there is no such file");
      throw new TreeBuilder.AbortException();
    } catch (IOException e) {
      tree.error(from, failure + ": " + e.getMessage());
      throw new TreeBuilder.AbortException();
    }
  }

  private void include(Path from, String target, SourceLocation place) throws SAXException {
    Path path;
    try {
      path = from.toAbsolutePath().resolveSibling(target).normalize();
    } catch (InvalidPathException e) {
      tree.error(place, "<include>: '" + target + "' is not a path");
      return;
    }
    if (++includes > MAX_INCLUDES) {
      tree.error(place, "<include>: more than " + MAX_INCLUDES + " files are included");
      throw new TreeBuilder.AbortException();
    }
    String label = label(path);
    refuseCycle(path, label, place);
    parse(path, label, place, "<include>: cannot read " + path);
  }

  private void refuseCycle(Path path, String label, SourceLocation place) throws SAXException {
    Path real;
    try {
      real = path.toRealPath();
    } catch (IOException e) {
      // Opening it will report that it cannot be read.
      return;
    }
    if (readings.stream().anyMatch(reading -> reading.real().equals(real))) {
      Deque<String> chain = new ArrayDeque<>();
      readings.forEach(reading -> chain.addFirst(reading.label()));
      tree.error(
          place,
          "<include>: files include each other: "
              + Stream.concat(chain.stream(), Stream.of(label))
                  .collect(Collectors.joining(" -> ")));
      throw new TreeBuilder.AbortException();
    }
  }

  /** Returns the label of an included file: its path relative to the first file, if possible. */
  private String label(Path path) {
    try {
      return directory.relativize(path).toString();
    } catch (IllegalArgumentException e) {
      return path.toString();
    }
  }

  /** Handles the events of one file, with their positions. */
  private final class FileHandler extends DefaultHandler2 {
    private final Path path;
    private final String label;
    private @Nullable Locator locator;

    /**
     * Where the last event ended: the parser reports an element's position only at the end of its
     * start tag.
     */
    private @Nullable SourceLocation last;

    private boolean inInclude;

    FileHandler(Path path, String label) {
      this.path = path;
      this.label = label;
    }

    @Override
    public void setDocumentLocator(Locator value) {
      locator = value;
    }

    @Override
    public void startElement(String uri, String name, String qName, Attributes attributes)
        throws SAXException {
      // White space before the root is not reported; the end of its start tag is the best position
      // known.
      SourceLocation start = last == null ? here() : last;
      last = here();
      if (!uri.isEmpty()) {
        tree.error(start, "<" + qName + ">: namespaces are not used here");
        throw new TreeBuilder.AbortException();
      }
      if (inInclude) {
        tree.error(start, "<" + name + ">: nothing may be in <include>");
        throw new TreeBuilder.AbortException();
      }
      if (!name.equals(INCLUDE)) {
        tree.start(name, attributes, start);
        return;
      }
      inInclude = true;
      String target = attributes.getValue("file");
      if (target == null || attributes.getLength() != 1) {
        tree.error(start, "<include>: needs the attribute 'file' and takes no other");
        return;
      }
      include(path, tree.resolve("<include>", target), start);
    }

    @Override
    public void characters(char[] text, int start, int length) throws SAXException {
      if (!inInclude) {
        tree.text(text, start, length);
      }
      SourceLocation end = here();
      // The parser has read the "<" that follows.
      last = new SourceLocation(label, end.line(), Math.max(1, end.column() - 1));
    }

    @Override
    public void endElement(String uri, String name, String qName) throws SAXException {
      if (inInclude) {
        inInclude = false;
      } else {
        tree.end();
      }
      last = here();
    }

    @Override
    public void comment(char[] text, int start, int length) {
      afterRoot();
    }

    @Override
    public void processingInstruction(String target, String data) {
      afterRoot();
    }

    private void afterRoot() {
      if (last != null) {
        last = here();
      }
    }

    @Override
    public void startDTD(String name, @Nullable String publicId, @Nullable String systemId)
        throws SAXException {
      throw new SAXException("a DOCTYPE is not allowed");
    }

    @Override
    public InputSource resolveEntity(
        @Nullable String name,
        @Nullable String publicId,
        @Nullable String baseUri,
        @Nullable String systemId)
        throws SAXException {
      throw new SAXException("external entities are not allowed");
    }

    @Override
    public void error(SAXParseException e) throws SAXException {
      fatalError(e);
    }

    @Override
    public void fatalError(SAXParseException e) throws SAXException {
      tree.error(
          new SourceLocation(label, e.getLineNumber(), e.getColumnNumber()),
          XmlErrorMessages.ofDocument(String.valueOf(e.getMessage())));
      throw new TreeBuilder.AbortException();
    }

    private SourceLocation here() {
      Locator known = locator;
      return known == null
          ? new SourceLocation(label, 1, 1)
          : new SourceLocation(label, known.getLineNumber(), known.getColumnNumber());
    }
  }
}
