package com.wookler.river.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigNodeTest {
  @TempDir Path directory;

  @Test
  void shouldFindByDotsAndSlashesWithAndWithoutItsOwnName() throws IOException {
    ConfigNode root =
        parse(
            "<river><a><b id='1'/></a><a><b id='2'/><c id='3'/></a><x.y><z id='4'/></x.y></river>");

    for (String path : List.of("a.b", "river.a.b", "a/b", "river/a/b", "/river/a/b")) {
      assertThat(root.search(path).attribute("id")).as(path).contains("1");
    }
    // The first a has no c: the search goes on in the second.
    assertThat(root.search("a.c").attribute("id")).contains("3");
    assertThat(root.search("x.y/z").attribute("id")).contains("4");
    assertThat(root.search("river")).isSameAs(root);
    assertThat(root.search("")).isSameAs(root);
    assertThat(root.search("a.nothing")).isNull();
    assertThat(root.search("river.river")).isNull();
    assertThat(root.search("b")).isNull();
    assertThat(root.at("a.c").path()).isEqualTo("river.a.c");
    assertThat(root.search(root.at("a.c").path())).isSameAs(root.at("a.c"));
    assertThatThrownBy(() -> root.at("a.nothing"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage("river.xml:1: <river>: there is no element 'a.nothing' in it");
  }

  @Test
  void shouldKeepRepeatedChildrenInOrder() throws IOException {
    ConfigNode root = parse("<river><a n='1'/><b/><a n='2'/></river>");

    assertThat(root.children("a"))
        .extracting(a -> a.requireAttribute("n"))
        .containsExactly("1", "2");
    assertThat(root.children()).extracting(ConfigNode::name).containsExactly("a", "b", "a");
    assertThat(root.child("b")).isPresent();
    assertThat(root.child("c")).isEmpty();
    assertThat(root.children("c")).isEmpty();
  }

  @Test
  void shouldGiveAttributesAndText() throws IOException {
    ConfigNode a =
        parse("<river><a n='1' empty=' '>  one <b/><![CDATA[<two>]]> </a></river>").at("a");

    assertThat(a.attribute("n")).contains("1");
    assertThat(a.attribute("m")).isEmpty();
    assertThat(a.text()).isEqualTo("one <two>");
    assertThat(a.at("b").text()).isEmpty();
    assertThatThrownBy(() -> a.requireAttribute("m"))
        .hasMessage("river.xml:1: <a>: attribute 'm' is required and must not be blank");
    assertThatThrownBy(() -> a.requireAttribute("empty"))
        .isInstanceOf(ConfigurationException.class);
  }

  @Test
  void shouldReadTypedParameters() throws IOException {
    ConfigNode node =
        withParams(
            "yes", "TRUE", "i", " -7 ", "l", "5000000000", "d", "30ss", "s", "64MB", "f", "a/b");

    assertThat(node.paramNames()).containsExactly("yes", "i", "l", "d", "s", "f");
    assertThat(node.bool("yes", false)).isTrue();
    assertThat(node.integer("i", 0)).isEqualTo(-7);
    assertThat(node.number("l", 0)).isEqualTo(5_000_000_000L);
    assertThat(node.duration("d", Duration.ZERO)).isEqualTo(Duration.ofSeconds(30));
    assertThat(node.bytes("s", 0)).isEqualTo(64L << 20);
    assertThat(node.file("f")).contains(Path.of("a/b"));
    assertThat(node.requireParam("yes")).isEqualTo("TRUE");
  }

  @Test
  void shouldFallBackToDefaultsOnlyWhereNothingIsGiven() throws IOException {
    ConfigNode node = withParams("blank", "");

    assertThat(node.bool("b", true)).isTrue();
    assertThat(node.integer("i", 3)).isEqualTo(3);
    assertThat(node.number("l", 4)).isEqualTo(4);
    assertThat(node.duration("d", Duration.ofDays(1))).isEqualTo(Duration.ofDays(1));
    assertThat(node.bytes("s", 5)).isEqualTo(5);
    assertThat(node.file("f")).isEmpty();
    assertThat(node.param("p")).isEmpty();
    List<Supplier<?>> getters =
        List.of(
            () -> node.bool("blank", true),
            () -> node.integer("blank", 3),
            () -> node.duration("blank", Duration.ZERO),
            () -> node.bytes("blank", 5),
            () -> node.file("blank"),
            () -> node.requireParam("blank"));
    for (Supplier<?> getter : getters) {
      assertThatThrownBy(getter::get)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("'blank'");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"+5", "١٢", "1_000", "0x10", "1e3", "--1", "-", "∞"})
  void shouldRefuseWhatIsNotWrittenInDigits(String text) throws IOException {
    ConfigNode node = withParams("n", text);
    for (Supplier<?> number :
        List.<Supplier<?>>of(() -> node.integer("n", 0), () -> node.number("n", 0))) {
      assertThatThrownBy(number::get)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("'n': '" + text + "' is not allowed");
    }
    assertThatThrownBy(() -> WholeNumbers.parse(text)).isInstanceOf(NumberFormatException.class);
    assertThat(WholeNumbers.parse("-0012")).isEqualTo(-12);
    assertThatThrownBy(() -> WholeNumbers.parseInt("2147483648"))
        .isInstanceOf(NumberFormatException.class);
  }

  @Test
  void shouldNameFileLineElementParameterValueAndWhatIsAllowed() throws IOException {
    ConfigNode node =
        withParams(
            "b", "yes", "i", "1.5", "l", "99999999999999999999", "d", "5 minutes", "s", "1 XB");

    assertThatThrownBy(() -> node.bool("b", true))
        .hasMessage(
            "river.xml:3: <queue name=\"orders\">, parameter 'b': 'yes' is not allowed; it must be"
                + " true or false");
    assertThatThrownBy(() -> node.integer("i", 1))
        .hasMessageStartingWith("river.xml:4: <queue name=\"orders\">, parameter 'i': '1.5' is not")
        .hasMessageContaining("whole number from -2147483648 to 2147483647");
    assertThatThrownBy(() -> node.number("l", 1)).hasMessageContaining("river.xml:5: ");
    assertThatThrownBy(() -> node.duration("d", Duration.ZERO))
        .hasMessageContaining("river.xml:6: ")
        .hasMessageContaining("'5 minutes'")
        .hasMessageContaining("10m (minutes)");
    assertThatThrownBy(() -> node.bytes("s", 1))
        .hasMessageContaining("river.xml:7: ")
        .hasMessageContaining("64MB");
    assertThatThrownBy(() -> node.requireParam("none"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage("river.xml:1: <queue name=\"orders\">, parameter 'none': is required");
  }

  @Test
  void shouldSuggestTheNearestKnownName() throws IOException {
    ConfigNode node = withParams("queue.directory", "x", "queue.lock.timout", "1");
    List<String> known = List.of("queue.lock.timeout", "queue.directory", "queue.onstart.reload");

    assertThatThrownBy(() -> node.allowParams(known))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "river.xml:4: <queue name=\"orders\">, parameter 'queue.lock.timout': is unknown; did you"
                + " mean 'queue.lock.timeout'?");
    assertThatThrownBy(() -> node.allowParams(List.of("x", "queue.directory")))
        .hasMessageContaining("known are: queue.directory, x");
    assertThatThrownBy(() -> node.allowParams(List.of())).hasMessageContaining("none is allowed");
    assertThatCode(() -> node.allowParams(node.paramNames())).doesNotThrowAnyException();
  }

  @Test
  void shouldSuggestNamesOfElementsAndAttributes() throws IOException {
    ConfigNode root = parse("<river nam='x'><params/><filtr/></river>");

    assertThatThrownBy(() -> root.allowChildren(List.of("filter", "queue")))
        .hasMessageContaining("<filtr>: is unknown in <river>; did you mean 'filter'?");
    assertThatThrownBy(() -> root.allowAttributes(List.of("name")))
        .hasMessageContaining("attribute 'nam' is unknown; did you mean 'name'?");
    assertThatCode(() -> root.allowChildren(List.of("filtr"))).doesNotThrowAnyException();
    assertThatCode(() -> root.allowAttributes(List.of("nam"))).doesNotThrowAnyException();
  }

  @Test
  void shouldRefuseParametersGivenTwiceOrWithoutNameOrValue() {
    assertThatThrownBy(() -> withParams("a", "1", "b", "2", "a", "3"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("river.xml:5: <param name=\"a\">: is given twice")
        .hasMessageContaining("river.xml:3");
    // Inside an element with a class the schema does not look.
    for (String param :
        List.of("<param name='a'/>", "<param value='a'/>", "<parm name='a' value='b'/>")) {
      assertThatThrownBy(
              () ->
                  parse("<processor name='p' class='x'><params>" + param + "</params></processor>"))
          .as(param)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageStartingWith("river.xml:1: <par");
    }
  }

  @Test
  void shouldMakeAndConfigureObjectsOfNamedClasses() throws IOException {
    ConfigNode node = ofClass(Good.class.getName());

    Object made = node.instantiate(CharSequence.class);

    assertThat(made).isInstanceOf(Good.class);
    assertThat(((Good) made).node).isSameAs(node);
    assertThat(withParams("c", Good.class.getName()).instantiateParam("c", Good.class)).isNotNull();
  }

  @Test
  void shouldSayWhyAnObjectCannotBeMade() throws IOException {
    assertNotMade("no.such.Type", "no class no.such.Type");
    assertNotMade("java.util.ArrayList", "is not a java.lang.CharSequence");
    assertNotMade(Hidden.class.getName(), "must be public");
    assertNotMade(NoConstructor.class.getName(), "public constructor");
    assertNotMade(Abstract.class.getName(), "not abstract");
    assertNotMade(Failing.class.getName(), "no luck");
    assertThatThrownBy(() -> ofClass(Choosy.class.getName()).instantiate(CharSequence.class))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("I want more");
    assertThatThrownBy(() -> withParams("c", "no.Type").instantiateParam("c", Object.class))
        .hasMessageContaining(
            "river.xml:3: <queue name=\"orders\">, parameter 'c': there is no class");
    assertThatThrownBy(() -> withParams("x", "1").instantiateParam("c", Object.class))
        .hasMessageContaining("parameter 'c': is required");
    assertThatThrownBy(() -> parse("<a/>").instantiate(Object.class))
        .hasMessageContaining("attribute 'class' is required");
  }

  private void assertNotMade(String className, String message) throws IOException {
    assertThatThrownBy(() -> ofClass(className).instantiate(CharSequence.class))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("river.xml:1: <recycle>: ")
        .hasMessageContaining(message);
  }

  private ConfigNode ofClass(String className) throws IOException {
    return parse("<recycle class='" + className + "'/>");
  }

  private ConfigNode withParams(String... namesAndValues) throws IOException {
    StringBuilder xml = new StringBuilder("<queue name='orders'>\n<params>\n");
    for (int i = 0; i < namesAndValues.length; i += 2) {
      xml.append(
          "<param name='%s' value='%s'/>%n".formatted(namesAndValues[i], namesAndValues[i + 1]));
    }
    return parse(xml + "</params></queue>");
  }

  private ConfigNode parse(String xml) throws IOException {
    return ConfigParser.parse(Files.writeString(directory.resolve("river.xml"), xml));
  }

  /** A class as a configuration may name. */
  public static class Good extends Chars implements Configurable {
    @Nullable ConfigNode node;

    @Override
    public void configure(ConfigNode value) {
      node = value;
    }
  }

  /** Not satisfied with its configuration. */
  public static final class Choosy extends Good {
    @Override
    public void configure(ConfigNode value) {
      throw value.error("I want more");
    }
  }

  /** Cannot be made. */
  public static final class Failing extends Chars {
    /** Throws. */
    public Failing() {
      throw new IllegalStateException("no luck");
    }
  }

  /** Cannot be made. */
  public abstract static class Abstract extends Chars {}

  /** Cannot be made. */
  public static final class NoConstructor extends Chars {
    NoConstructor() {}
  }

  static final class Hidden extends Chars {}

  private static class Chars implements CharSequence {
    @Override
    public int length() {
      return 0;
    }

    @Override
    public char charAt(int index) {
      throw new IndexOutOfBoundsException(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return this;
    }

    @Override
    public String toString() {
      return "";
    }
  }
}
