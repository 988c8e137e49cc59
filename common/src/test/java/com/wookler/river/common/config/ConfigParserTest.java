package com.wookler.river.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigParserTest {
  private static final String SEED_XML =
      """
      <river>
            <!-- Execution Environment configuration -->
            <env>
                <monitor>
                    <params>
                        <!-- Application name [required]-->
                        <param name="app.name" value="TEST-RIVER"/>
                        <!-- Application Counter recycle window [required] -->
                        <param name="monitor.window.recycle" value="30ss"/>
                        <!-- Counter logging frequency -->
                        <param name="monitor.frequency.write" value="1mm"/>
                    </params>
                    <!-- Implementation class for logging application counters -->
                    <counter class="com.wookler.river.examples.utils.LogCounterLogger"/>
                    <!-- Implementation class for logging thread heartbeats -->
                    <heartbeat class="com.wookler.river.examples.utils.LogHeartbeatLogger"/>
                </monitor>
                <!-- Background managed task manager -->
                <task-manager name="TEST-RIVER-TM">
                    <params>
                        <!-- Managed task execution pool size.-->
                        <param name="executor.pool.size" value="1"/>
                    </params>
                </task-manager>
            </env>
            <!-- Define the queue configuration -->
            <queue name="TEST-RIVER-EXEC">
                <params>
                    <param name="queue.lock.timeout" value="100"/>
                    <param name="queue.directory" value="/tmp/river/test"/>
                    <param name="queue.onstart.reload" value="false"/>
                </params>
                <recycle class="com.wookler.river.core.SizeBasedRecycle">
                    <params>
                        <!-- Size of the Chronicle (#of records not byte size) -->
                        <param name="recycle.size" value="1000000"/>
                    </params>
                </recycle>
                <backup>
                    <params>
                        <param name="backup.directory" value="/tmp/river/test/backup"/>
                        <param name="backup.retention" value="10mm"/>
                    </params>
                </backup>
            </queue>
      </river>
      """;

  @TempDir Path directory;

  @Test
  void shouldReadTheWellKnownConfiguration() throws IOException {
    ConfigNode root = parse(SEED_XML);

    assertThat(root.name()).isEqualTo("river");
    ConfigNode queue = root.at("river.queue");
    assertThat(queue.requireAttribute("name")).isEqualTo("TEST-RIVER-EXEC");
    assertThat(queue.integer("queue.lock.timeout", 0)).isEqualTo(100);
    assertThat(queue.at("recycle").number("recycle.size", 0)).isEqualTo(1_000_000);
    assertThat(root.at("env/monitor/counter").requireAttribute("class"))
        .isEqualTo("com.wookler.river.examples.utils.LogCounterLogger");
  }

  @Test
  void shouldReadTheOtherElementsThatAreOurs() throws IOException {
    ConfigNode root =
        parse(
            """
            <anything>
              <queue name="orders">
                <params/>
                <subscribers>
                  <subscriber name="billing"><params/></subscriber>
                  <subscriber name="audit">
                    <executor><params><param name="executor.pool.size" value="4"/></params></executor>
                    <processor name="store" class="some.Store" mine="1">text<own>1</own><params/></processor>
                    <processor name="more" class="some.More"/>
                  </subscriber>
                </subscribers>
              </queue>
              <something else="true"><of>mine</of></something>
            </anything>
            """);

    assertThat(root.search("queue.subscribers.subscriber.processor.own").text()).isEqualTo("1");
    assertThat(root.at("something/of").text()).isEqualTo("mine");
  }

  @Test
  void shouldKnowTheLineOfEachElement() throws IOException {
    ConfigNode root =
        parse(
            """
            <?xml version="1.0"?>
            <!-- a comment
                 of two lines -->
            <river>
              <queue name="a">
                <params>
                  <param
                      name="queue.directory"
                      value="x"/><!--
                  --><param name="queue.lock.timeout" value="y"/>
                </params>
              </queue>
            </river>
            """);

    assertThat(root.location()).isEqualTo("river.xml:4");
    assertThat(root.at("queue").location()).isEqualTo("river.xml:5");
    assertThat(root.at("queue.params").children())
        .extracting(ConfigNode::location)
        .containsExactly("river.xml:7", "river.xml:10");
    assertThat(root.at("queue").error("queue.lock.timeout", "is bad"))
        .hasMessage("river.xml:10: <queue name=\"a\">, parameter 'queue.lock.timeout': is bad");
  }

  @Test
  void shouldNameFileLineColumnAndElementOfAllErrorsOfTheSchema() {
    assertThatThrownBy(
            () ->
                parse(
                    """
                    <river>
                      <queue>
                        <params><parm name="a" value="b"/></params>
                      </queue>
                      <queue name="b">
                        <params/><recycle/>
                      </queue>
                    </river>
                    """))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("river.xml:2:3: <queue>: ")
        .hasMessageContaining("'name'")
        .hasMessageContaining("river.xml:3:13: <parm name=\"a\">: ")
        .hasMessageContaining("river.xml:6:14: <recycle>: ")
        .hasMessageContaining("'class'");
  }

  @Test
  void shouldNameTheElementThatLacksOne() {
    assertThatThrownBy(
            () ->
                parse(
                    """
                    <river>
                      <env>
                        <monitor>
                          <params/>
                        </monitor>
                      </env>
                    </river>
                    """))
        .hasMessageContaining("river.xml:2:3: <env>: ")
        .hasMessageContaining("task-manager");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<river><queue name='a' nme='b'><params/></queue></river>",
        "<river><queue name=' '><params/></queue></river>",
        "<river><queue name='a'><params/><queue name='b'><params/></queue></queue></river>",
        "<river><queue name='a'>text<params/></queue></river>",
        "<river><subscribers><x/></subscribers></river>",
        "<river><executor><processor name='a' class='b'/></executor></river>",
        "<river><other><param name='a'/></other></river>",
        "<river><env/></river>",
        "<queue/>",
      })
  void shouldRefuseWhatTheSchemaDoesNotAllow(String xml) {
    assertThatThrownBy(() -> parse(xml))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("river.xml:1:");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      textBlock =
          """
          <river><queue name='a'><params/><recicle class='b'/></queue></river> # <recicle>: is unknown in <queue>; did you mean <recycle>?
          <river><queu name='a'/></river> # <queu name="a">: is unknown in <river>; did you mean <queue>?
          <river><default queue='*'/></river> # <default>: is unknown in <river>; did you mean <defaults>?
          <river><Defaults queue='*'/></river> # <Defaults>: is unknown in <river>; did you mean <defaults>?
          <river><outboxs/></river> # <outboxs>: is unknown in <river>; did you mean <outbox>?
          <river><own/><enf/></river> # <enf>: is unknown in <river>; did you mean <env>?
          <river><queue name='a'><params/><x/></queue></river> # <x>: is not allowed in <queue>; allowed here are <recycle>, <backup>, <forwards>, <subscribers>
          <river><queue name='a'><params/><params/></queue></river> # <params>: is not allowed
          <river><queue name='a' nme='b'><params/></queue></river> # attribute 'nme' is unknown; did you mean 'name'?
          <river><queue name='a' class='b'><params/></queue></river> # <queue name="a">: attribute 'class' is not allowed in <queue>
          <river><queue><params/></queue></river> # <queue>: attribute 'name' is required
          <river><queue name=' '><params/></queue></river> # attribute 'name' must not be blank
          <river><defaults queue=''><params/></defaults></river> # attribute 'queue' must not be blank
          <river><queue name=''><params/></queue></river> # attribute 'name' must not be blank
          <river><queue name='a'>text<params/></queue></river> # no text may be in it
          <river><env><monitor><params/></monitor></env></river> # <env>: it needs <task-manager>
          <river><queue name='a'><params><param name='a' value='b'><c/></param></params></queue></river> # nothing may be in it
          <river><own> # is not well-formed: the file ends
          text # is not well-formed: there is text before the first element
          <river/><river/> # there may be only one
          <river><a></b></river> # is not well-formed: The element type "a"
          """)
  void shouldSayInItsOwnWordsWhatIsWrong(String xml, String says) {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.GERMAN);
    try {
      assertThatThrownBy(() -> parse(xml))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageStartingWith("river.xml:1:")
          .hasMessageContaining(says)
          .hasMessageNotContaining("cvc-");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void shouldLeaveElementsOfTheApplicationAlone() throws IOException {
    assertThat(parse("<river><database><params/></database><other><x y='z'/></other></river>"))
        .isNotNull();
  }

  @Test
  void shouldSayWhereADocumentIsNotWellFormed() {
    assertThatThrownBy(() -> parse("<river>\n  <other>\n</river>"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("river.xml:3:3: ");
  }

  @Test
  void shouldRefuseAnExternalEntity() throws IOException {
    Path secret = Files.writeString(directory.resolve("secret"), "the-secret");

    assertThatThrownBy(
            () -> parse("<!DOCTYPE r [<!ENTITY x SYSTEM \"" + secret.toUri() + "\">]>\n<r>&x;</r>"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("river.xml:1:")
        .hasMessageContaining("DOCTYPE")
        .hasMessageNotContaining("the-secret");
  }

  @Test
  void shouldRefuseEntitiesThatMultiply() {
    assertThatThrownBy(
            () ->
                parse(
                    """
                    <!DOCTYPE lolz [
                      <!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
                      <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;">
                    ]>
                    <lolz>&d;</lolz>
                    """))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("DOCTYPE");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<!DOCTYPE river><river/>",
        "<!DOCTYPE river SYSTEM \"http://127.0.0.1:9/river.dtd\"><river/>",
        "<!DOCTYPE river PUBLIC \"a\" \"file:///etc/passwd\"><river/>",
        "<!DOCTYPE r [<!ENTITY % p SYSTEM \"file:///etc/passwd\"> %p;]><r/>",
      })
  void shouldRefuseAnyDoctype(String xml) {
    assertThatThrownBy(() -> parse(xml))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("DOCTYPE");
  }

  @Test
  void shouldNotFollowSchemaLocationsOfTheDocument() throws IOException {
    ConfigNode root =
        parse(
            """
            <river xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                   xsi:noNamespaceSchemaLocation="http://127.0.0.1:9/river.xsd" a="b"/>
            """);

    root.allowAttributes(List.of("a"));
  }

  @Test
  void shouldRefuseNamespaces() {
    assertThatThrownBy(() -> parse("<river xmlns='urn:x'/>"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("namespaces");
  }

  @Test
  void shouldRefuseElementsNestedWithoutEnd() {
    assertThatThrownBy(() -> parse("<a>".repeat(100_000)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("deep");
  }

  @Test
  void shouldReplaceVariablesInAttributesAndText() throws IOException {
    System.setProperty("river.test.name", "orders");
    try {
      ConfigNode root =
          parse(
              """
              <river>
                <queue name="${sys:river.test.name}-1"><params>
                  <param name="queue.directory" value="/data/${sys:river.test.name}"/>
                  <param name="home" value="${env:PATH}"/>
                  <param name="dflt" value="${env:RIVER_TEST_IS_NOT_SET:-none}"/>
                </params></queue>
                <text>a ${sys:river.test.name} b</text>
              </river>
              """);

      ConfigNode queue = root.at("queue");
      assertThat(queue.requireAttribute("name")).isEqualTo("orders-1");
      assertThat(queue.param("queue.directory")).contains("/data/orders");
      assertThat(queue.param("home")).contains(System.getenv("PATH"));
      assertThat(queue.param("dflt")).contains("none");
      assertThat(root.at("text").text()).isEqualTo("a orders b");
    } finally {
      System.clearProperty("river.test.name");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "${sys:river.test.is.not.set}",
        "${env:RIVER_TEST_IS_NOT_SET}",
        "${other}",
        "${file:/etc/passwd}",
        "${script:javascript:1}",
        "${dns:localhost}",
        "$${sys:user.dir}",
        "a${",
      })
  void shouldRefuseWhatCannotBeReplaced(String value) {
    assertThatThrownBy(
            () ->
                parse(
                    "<river><queue name='a'>\n<params>\n<param name='queue.directory' value='"
                        + value
                        + "'/></params></queue></river>"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(
            "river.xml:3:1: <param name=\"queue.directory\">: attribute 'value'")
        .hasMessageContaining(value);
    assertThatThrownBy(() -> parse("<river>\n<a>" + value + "</a></river>"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("river.xml:2:1: <a>: the text");
  }

  @Test
  void shouldRefuseVariablesThatGoRoundInCircles() {
    System.setProperty("river.test.a", "${sys:river.test.b}");
    System.setProperty("river.test.b", "${sys:river.test.a}");
    try {
      assertThatThrownBy(() -> parse("<river a='${sys:river.test.a}'/>"))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("circles");
    } finally {
      System.clearProperty("river.test.a");
      System.clearProperty("river.test.b");
    }
  }

  @Test
  void shouldIncludeFilesRelativeToTheirOwn() throws IOException {
    Files.createDirectories(directory.resolve("queues/more"));
    write("queues/a.xml", "<group>\n  <include file=\"more/b.xml\"/>\n  <end/>\n</group>");
    write("queues/more/b.xml", "\n<queue name='b'>\n  <params/>\n</queue>");

    ConfigNode root = parse("<river>\n <include file=\"queues/a.xml\"/>\n <last/>\n</river>");

    assertThat(root.children()).extracting(ConfigNode::name).containsExactly("group", "last");
    ConfigNode queue = root.at("group.queue");
    assertThat(queue.location()).isEqualTo(Path.of("queues/more/b.xml") + ":2");
    assertThat(queue.at("params").location()).isEqualTo(Path.of("queues/more/b.xml") + ":3");
    assertThat(queue.path()).isEqualTo("river.group.queue");
    assertThat(root.at("group.end").location()).isEqualTo(Path.of("queues/a.xml") + ":3");
    assertThat(root.at("last").location()).isEqualTo("river.xml:3");
  }

  @Test
  void shouldReplaceVariablesInTheNameOfAnInclude() throws IOException {
    write("x.xml", "<x/>");
    System.setProperty("river.test.file", directory.resolve("x.xml").toString());
    try {
      assertThat(parse("<river><include file='${sys:river.test.file}'/></river>").search("x"))
          .isNotNull();
    } finally {
      System.clearProperty("river.test.file");
    }
  }

  @Test
  void shouldCheckWhatIsIncludedInItsNewPlace() throws IOException {
    write("params.xml", "<params>\n  <parm name='a' value='b'/>\n</params>");

    assertThatThrownBy(
            () -> parse("<river><queue name='a'><include file='params.xml'/></queue></river>"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("params.xml:2:3: <parm name=\"a\">");
  }

  @Test
  void shouldSayWhereAnIncludedFileIsNotWellFormed() throws IOException {
    write("bad.xml", "<a>\n<b>\n</a>");

    assertThatThrownBy(() -> parse("<river><include file='bad.xml'/></river>"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("bad.xml:3:");
  }

  @Test
  void shouldRefuseADoctypeInAnIncludedFile() throws IOException {
    write("bad.xml", "<!DOCTYPE a>\n<a/>");

    assertThatThrownBy(() -> parse("<river><include file='bad.xml'/></river>"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("bad.xml:1:")
        .hasMessageContaining("DOCTYPE");
  }

  @Test
  void shouldRefuseFilesThatIncludeEachOther() throws IOException {
    write("a.xml", "<a>\n<include file='b.xml'/></a>");
    write("b.xml", "<b><x/>\n\n<include file='./a.xml'/></b>");

    assertThatThrownBy(() -> parse("<river><include file='a.xml'/></river>"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("b.xml:3:1: <include>")
        .hasMessageContaining("river.xml -> a.xml -> b.xml -> a.xml");
  }

  @Test
  void shouldRefuseAFileThatIncludesItself() {
    assertThatThrownBy(() -> parse("<river><include file='river.xml'/></river>"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("river.xml -> river.xml");
  }

  @Test
  void shouldIncludeTheSameFileTwiceButNotWithoutEnd() throws IOException {
    write("x.xml", "<x/>");
    assertThat(parse("<river><include file='x.xml'/><include file='x.xml'/></river>").children("x"))
        .hasSize(2);

    for (int i = 0; i < 12; i++) {
      String next = "<include file='" + (i + 1) + ".xml'/>";
      write(i + ".xml", "<n>" + next + next + "</n>");
    }
    write("12.xml", "<n/>");
    assertThatThrownBy(() -> parse("<river><include file='0.xml'/></river>"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("more than 1000 files");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<include/>",
        "<include file='x.xml' root='a'/>",
        "<include file='x.xml'><a/></include>",
        "<include file='nowhere.xml'/>",
        "<include file='.'/>",
      })
  void shouldRefuseAnIncludeThatIsNotOne(String include) throws IOException {
    write("x.xml", "<x/>");
    assertThatThrownBy(() -> parse("<river>\n" + include + "</river>"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("river.xml:2:");
  }

  @Test
  void shouldSayWhichFileCannotBeRead() {
    assertThatThrownBy(() -> ConfigParser.parse(directory.resolve("none.xml")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(directory.resolve("none.xml").toString())
        .hasMessageContaining("no such file");
    assertThatThrownBy(() -> ConfigParser.parse(directory))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(directory.toString());
  }

  private ConfigNode parse(String xml) throws IOException {
    return ConfigParser.parse(write("river.xml", xml));
  }

  private Path write(String name, String xml) throws IOException {
    return Files.writeString(directory.resolve(name), xml);
  }
}
