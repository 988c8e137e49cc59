package com.wookler.river.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.FilterExpression;
import com.wookler.river.core.subscriber.ValueExpression;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterExpressionTest {
  private static final String JSON =
      """
      {"amount": 150, "price": 0.1, "big": 12345678901234567890, "text": "12", "flag": true,
       "class": "first", "size": 3, "empty": false, "new": 1, "in": 2, "nothing": null,
       "items": [{"id": 7}, {"id": 8.0}], "tags": ["a", "b"], "deep": {"er": {"est": "x"}}}
      """;

  private static final Message<String> MESSAGE =
      Message.of(JSON).withKey("EU").withHeader("type", utf8("order")).withHeader("n-1", utf8("9"));

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static boolean matches(String expression) {
    FilterExpression parsed = FilterExpression.parse(expression);
    boolean answer = parsed.test(MESSAGE);
    assertThat(parsed.failures()).as(expression).isZero();
    return answer;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "key == 'EU' && headers.type == 'order' && json.amount > 100",
        "key eq \"EU\" and not (headers.type ne 'order')",
        "json.amount >= 150 && json.amount <= 150.0 && json.amount != 151",
        "json.amount * 2 - 1 == 299 && json.amount % 7 == 3 && -json.amount < 0",
        "json.price == 0.1",
        "json.big > 5 && json.big == 12345678901234567890",
        "json.text > 5 && json.text < 100",
        "headers['n-1'] > 8",
        "json.flag",
        "json.flag && true",
        "json.items[0].id == 7 && json.items[1].id == 8",
        "size(json.items) == 2 && size(key) == 2 && !empty(json.items) && size(headers) == 2",
        "json.deep.er.est == 'x'",
        "json.class == 'first' && json.new == 1 && json['in'] == 2",
        "json['size'] == 3 && json['empty'] == false",
        "key =~ ['US', 'EU'] && json.amount =~ [1, 150] && json.amount =~ [150.0]",
        "'a' =~ json.tags && 'c' !~ json.tags",
        "key =~ 'E.' && key =~ ~/[A-Z]+/ && key !~ 'E'",
        "key =^ 'E' && key =$ 'U' && key !^ 'U'",
        "json.amount > 200 || key == 'EU'",
        "(json.amount > 100 ? key : 'x') == 'EU'",
        "(json.other ?? 5) == 5",
        "key == 'EU' && 'foo(bar) == baz // `' != key",
        "true",
      })
  void shouldMatch(String expression) {
    assertThat(matches(expression)).as(expression).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "key == 'US'",
        "json.amount > 150",
        "json.nothing == 'x'",
        "json.missing == 'x'",
        "json.missing < 5",
        "json.missing >= 5",
        "json.missing <= json.missing",
        "json.missing =~ 'x'",
        "json.missing =~ ['x']",
        "json.missing =^ 'x' || json.missing =$ 'x'",
        "'x' =~ json.missing",
        "json.missing + 1 > 0",
        "0 - json.missing > -1 || json.missing * 2 == 0 || json.missing / 2 == 0",
        "-json.missing < 1 || json.missing % 2 == 0",
        "json.missing.further.away == 1",
        "json.items[2].id == 7 || json.items[-1].id == 7 || json.items['x'] == 7",
        "json.amount.of == 1",
        "json.missing",
        "json.missing && true",
        "key.class == 'x' || key.bytes == 'x' || ''.class.name == 'x'",
        "false",
      })
  void shouldNotMatch(String expression) {
    assertThat(matches(expression)).as(expression).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.5",
        "'EU'",
        "null",
        "1 + 2",
        "['a']",
        "size('a')",
        "key",
        "headers",
        "headers.type",
        "headers['content-type']",
        " ( key ) ",
        "(1)"
      })
  void shouldRefuseWhatIsNoCondition(String text) {
    int column = text.replaceAll("^([ (]*).*", "$1").length() + 1;
    assertThatThrownBy(() -> FilterExpression.parse(text))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("is no condition")
        .hasMessageContaining("column " + (text.equals("(1)") ? 1 : column) + " ");
    assertThat(ValueExpression.parse(text).text()).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false", "1 < 2", "!key", "json", "json.paid", "empty(key)"})
  void shouldAcceptWhatMayBeACondition(String text) {
    assertThat(FilterExpression.parse(text).text()).isEqualTo(text);
  }

  @Test
  void shouldTakeWhatIsMissingForNullAndNothingElse() {
    assertThat(matches("json.missing == null && json.nothing == null && json.a.b.c == null"))
        .isTrue();
    assertThat(matches("json.missing != 'x' && !(json.missing == 'x')")).isTrue();
    assertThat(matches("json.amount != null && empty(json.missing) && size(json.missing) == 0"))
        .isTrue();
    FilterExpression elsewhere = FilterExpression.parse("key != 'EU' && headers.type == null");
    assertThat(elsewhere.test(Message.of("no JSON"))).isTrue();
    assertThat(elsewhere.failures()).isZero();
  }

  @Test
  void shouldLookIntoDataThatIsNoTextAsJacksonWouldWriteIt() {
    FilterExpression expression = FilterExpression.parse("json.amount > 100 && json.to == 'me'");
    record Order(int amount, String to) {}

    assertThat(expression.test(Message.of(new Order(150, "me")))).isTrue();
    assertThat(expression.test(Message.of(Map.of("amount", 150, "to", "me")))).isTrue();
    assertThat(expression.test(Message.of(utf8("{\"amount\": 150, \"to\": \"me\"}")))).isTrue();
    assertThat(expression.test(Message.of(new Order(50, "me")))).isFalse();
    assertThat(expression.failures()).isZero();
  }

  @Test
  void shouldReadDataOnlyIfItComesToIt() {
    FilterExpression expression = FilterExpression.parse("key == 'EU' && json.amount > 100");

    assertThat(expression.test(Message.of("no JSON").withKey("US"))).isFalse();
    assertThat(expression.failures()).isZero();
    assertThat(expression.test(Message.of("no JSON").withKey("EU"))).isFalse();
    assertThat(expression.failures()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{\"a\": 1", "{\"a\": 1} {}", "\u0000", "<a>1</a>"})
  void shouldNotMatchWhatIsNoJsonAndCountIt(String data) {
    FilterExpression expression = FilterExpression.parse("!(json.a == 2)");

    assertThat(expression.test(Message.of(data))).isFalse();
    assertThat(expression.failures()).isEqualTo(1);
  }

  @Test
  void shouldNotMatchWhereItFailsAndCountIt() {
    for (String failing :
        List.of(
            "json.class > 5", "json.amount / 0 > 1", "json.items > 3", "key + 1", "json.amount")) {
      FilterExpression expression = FilterExpression.parse(failing);
      assertThat(expression.test(MESSAGE)).as(failing).isFalse();
      assertThat(expression.failures()).as(failing).isEqualTo(1);
    }
  }

  @Test
  void shouldBearJsonThatNestsDeeply() {
    FilterExpression expression = FilterExpression.parse("json.a == 1");
    String deep = "{\"a\":".repeat(100_000);

    assertThat(expression.test(Message.of(deep))).isFalse();
    assertThat(expression.failures()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "key == 'EU' &&&  1          | 13 | &&",
        "json.amount >               | 13 | >",
        "key == 'EU                  | 11 | 'EU",
        "(key == 'EU'                |    |",
        "foo == 1                    |  1 | 'foo' is unknown; there are key, headers and json",
        "key == 'foo' && foo.a == 1  | 17 | 'foo' is unknown",
        "key.length() > 1            |  4 | method",
        "key.getClass() != null      |  4 | method",
        "''.class.forName('x')       |    | method",
        "new('java.lang.String')     |  1 | instance",
        "key == shout(key)           |  8 | no function 'shout'",
        "key == jexl:shout(key)      |    |",
        "json.amount = 3             |    | assign",
        "json.amount++ > 3           |    | assign",
        "x = 3                       |  1 | assign",
        "var x = 1                   |  1 | var",
        "while (true) {}             |  1 | while",
        "for (x : json.items) {}     |  1 | for",
        "if (true) 1                 |  1 | if",
        "x -> x                      |    |",
        "function(x) { 1 }           |    |",
        "1; true                     |  2 | ;",
        "return 1                    |  1 | return",
        "throw 1                     |  1 | throw",
        "true // comment             |  6 | //",
        "true /* comment */          |  6 | /*",
        "#pragma x 1                 |  1 | #",
        "@silent key                 |    |",
        "key =~ 'E['                 |  8 | missing closing ]",
        "key =~ '(.)\\\\1'            |  8 | invalid escape sequence",
        "key !~ ~/a(?=b)/            |  8 | invalid or unsupported Perl syntax",
        "key =~ 'a*+'                |  8 | invalid nested repetition operator",
        "key =~ '[a-z&&[^b]]'        |  8 | &{2}",
        "key =~ '((a{999}){999})'    |  8 | 20000 are allowed",
      })
  void shouldRefuseWhatIsNoExpression(String expression, Integer column, String what) {
    assertThatThrownBy(() -> FilterExpression.parse(expression))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageMatching("column \\d+ of the filter expression: .*")
        .hasMessageStartingWith(column == null ? "column " : "column " + column + " ")
        .hasMessageContaining(what == null ? "" : what);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "`${key}` == 'EU'",
        "key instanceof 'java.lang.String'",
        "json.amount.class.name == 'x'",
        "json['class']['forName'] == 'x'",
        "key.'getClass' != null",
        "[1].class != null",
        "{'a' : 1}.class != null",
      })
  void shouldReachNothingBehindTheMessage(String expression) {
    boolean reached;
    try {
      reached = FilterExpression.parse(expression).test(MESSAGE);
    } catch (ConfigurationException refused) {
      reached = false;
    }
    assertThat(reached).isFalse();
  }

  @Test
  void shouldRefuseWhatIsBlankOrTooLongOrTooDeep() {
    assertThatThrownBy(() -> FilterExpression.parse(" "))
        .isInstanceOf(ConfigurationException.class);
    String tooLong = "true" + " ".repeat(10_000);
    assertThatThrownBy(() -> FilterExpression.parse(tooLong))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("10000");
    String deep = "(".repeat(4_990) + "true" + ")".repeat(4_990);
    try {
      assertThat(FilterExpression.parse(deep).test(MESSAGE)).isIn(true, false);
    } catch (ConfigurationException tooDeep) {
      assertThat(tooDeep).hasMessageContaining("expression");
    }
  }

  @Test
  void shouldBeEqualToOneOfTheSameText() {
    assertThat(FilterExpression.parse("key == 'a'"))
        .isEqualTo(FilterExpression.parse("key == 'a'"))
        .hasSameHashCodeAs(FilterExpression.parse("key == 'a'"))
        .isNotEqualTo(FilterExpression.parse("key == 'b'"))
        .hasToString("key == 'a'");
  }

  @Test
  void shouldAnswerSeveralThreadsAtOnce() throws Exception {
    FilterExpression expression = FilterExpression.parse("json.n % 2 == 0 && key =~ ['a', 'b']");
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      Callable<Long> asker =
          () ->
              IntStream.range(0, 5_000)
                  .mapToObj(n -> Message.of("{\"n\": " + n + "}").withKey("a"))
                  .filter(expression)
                  .count();
      for (Future<Long> answer : threads.invokeAll(List.of(asker, asker, asker, asker))) {
        assertThat(answer.get()).isEqualTo(2_500);
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(expression.failures()).isZero();
  }

  /** What would take for ever, or all memory, does not match; of whomever it comes. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "key =~ json.pattern",
        "key !~ json.pattern",
        "key =~ 'a' + '*'",
        "json.digits =~ '(a|aa)+b'",
        "json.digits * 1 > 0",
        "json.digits * 1.5B > 0",
        "-json.digits < 7",
        "json.digits / 2 == 7"
      })
  void shouldNotTakeLongForAnyMessage(String expression) {
    String json = "{\"pattern\": \"(a|aa)+b\", \"digits\": \"%s\"}";
    Message<String> message =
        Message.of(json.formatted("9".repeat(1 << 22))).withKey("a".repeat(200));
    FilterExpression parsed = FilterExpression.parse(expression);

    boolean answer = within(() -> parsed.test(message));

    assertThat(answer).isFalse();
    assertThat(parsed.failures()).isEqualTo(1);
  }

  /** Patterns for which one that goes back and tries again would need longer than the world has. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "(()|()){100}b",
        "(a|aa)+b",
        "(a*)*b",
        "(a?){30}a{30}b",
        "((a|b?)(|a)*){40}c",
        "(?i)(k|K|\u212a)*b",
        "[^\\p{L}]?.*.*.*.*.*.*b",
        "(^|$|\\b){99}b"
      })
  void shouldMatchByAnyPatternInSteadyTime(String pattern) {
    for (String text : List.of("", "a".repeat(200), "k".repeat(3_000))) {
      FilterExpression parsed = FilterExpression.parse("key =~ '" + jexl(pattern) + "'");

      assertThat(within(() -> parsed.test(Message.of("{}").withKey(text)))).isFalse();
      assertThat(parsed.failures()).isZero();
      assertThat(
              within(
                  () ->
                      FilterExpression.parse("key !~ '" + jexl(pattern) + "'")
                          .test(Message.of("{}").withKey(text))))
          .isTrue();
    }
  }

  private static String jexl(String pattern) {
    return pattern.replace("\\", "\\\\");
  }

  /** Written out, they would take all memory. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "(((a{1000}){1000}){1000})",
        "((a{9}){9}){9}){9}){9}",
        "((((((a{1,10}){10}){10}){10}){10}){10})",
        ".{1000}.{1000}.{1000}",
        "(?:(?:a{1000,}){1000,}){1000,}",
        "((\\){1000}){1000})"
      })
  void shouldRefusePatternsThatAreLargerThanTheyLook(String pattern) {
    assertThatThrownBy(
            () ->
                within(
                    () -> FilterExpression.parse("key =~ '" + jexl(pattern) + "'").test(MESSAGE)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("20000 are allowed");
  }

  @Test
  void shouldBoundThePatternsOfAnExpressionTogether() {
    String one = "key =~ '.{500}'";
    assertThat(FilterExpression.parse(one + (" || " + one).repeat(4)).test(MESSAGE)).isFalse();
    assertThatThrownBy(() -> FilterExpression.parse(one + (" || " + one).repeat(8)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("20000 are allowed");
    assertThatThrownBy(
            () -> FilterExpression.parse("key =~ '" + "(".repeat(4_900) + ")".repeat(4_900) + "'"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageMatching("column \\d+ of the filter expression: .*");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12} 01234567-89ab-cdef-0123-456789abcdef",
        "(\\d{1,3}\\.){3}\\d{1,3} 192.168.0.1",
        "[A-Za-z0-9_][A-Za-z0-9._-]{0,63} orders.eu-1",
        "(?i)straße|\\p{Lu}+ STRAßE",
        ".*\\bfail(ed|ure)\\b.* the-disk-failed-at-last",
        "\\Qa.b\\E(?:c|d)+?\\x41[[:alpha:]] a.bcdcAz",
      })
  void shouldMatchWhatPatternsAreUsedFor(String pattern, String key) {
    FilterExpression text = FilterExpression.parse("key =~ '" + jexl(pattern) + "'");
    FilterExpression literal = FilterExpression.parse("key =~ ~/" + pattern + "/");

    assertThat(text.test(Message.of("").withKey(key))).isTrue();
    assertThat(literal.test(Message.of("").withKey(key))).isTrue();
    assertThat(text.test(Message.of("").withKey(key + "\n"))).isFalse();
    assertThat(text.failures() + literal.failures()).isZero();
  }

  @Test
  void shouldTakeNoTextForAPatternBecauseOneIsWithinIt() {
    assertThat(matches("key != \"x =~ '['\" && key =~ \"E.\"")).isTrue();
    assertThat(matches("key=~'E.' and key  !~\n'['".replace("'['", "'F.'"))).isTrue();
  }

  /** Each of these goes through all of the data, as often as there is room for it. */
  @ParameterizedTest
  @ValueSource(
      strings = {"0 =~ json.l", "json.l == json.m", "json == 'x'", "json =^ 'x'", "json.l > 'x'"})
  void shouldNotGoThroughDataOverAndOver(String part) {
    String list = "1" + ",1".repeat(200_000);
    Message<String> message = Message.of("{\"l\":[" + list + "],\"m\":[" + list + ",2]}");
    FilterExpression parsed = FilterExpression.parse(part + (" || " + part).repeat(400));
    assertThat(FilterExpression.parse(part).test(message)).isFalse();

    assertThat(within(() -> parsed.test(message))).isFalse();
    assertThat(parsed.failures()).isEqualTo(1);
  }

  @Test
  void shouldNotComputeWithNumbersThatGrow() {
    FilterExpression parsed = FilterExpression.parse("json.d" + "*json.d".repeat(1_400) + " > 0");

    assertThat(within(() -> parsed.test(Message.of("{\"d\": " + "9".repeat(999) + "}")))).isFalse();
    assertThat(parsed.failures()).isEqualTo(1);
  }

  @Test
  void shouldNotMakeAnyTextOfAMessage() {
    Message<String> message = Message.of("{\"s\": \"" + "x".repeat(1 << 20) + "\"}");
    FilterExpression parsed =
        FilterExpression.parse("json.s" + "+json.s".repeat(1_200) + " != 'x'");

    assertThat(within(() -> parsed.test(message))).isFalse();
    assertThat(parsed.failures()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "7, true",
    "7.0, true",
    "-1, false",
    "7.5, false",
    "4294967303, false",
    "9999999999999999999, false"
  })
  void shouldLookIntoARangeWithoutWalkingThroughIt(String number, boolean expected) {
    Message<String> message = Message.of("{\"a\": " + number + "}");

    FilterExpression parsed = FilterExpression.parse("json.a =~ (0..2147483647)");

    assertThat(within(() -> parsed.test(message))).isEqualTo(expected);
    assertThat(parsed.failures()).isZero();
  }

  @Test
  void shouldLookIntoARangeOfLargeNumbers() {
    Message<String> message = Message.of("{\"a\": 4294967303}");

    assertThat(
            within(
                () -> FilterExpression.parse("json.a =~ (0..9223372036854775807)").test(message)))
        .isTrue();
    assertThat(
            within(
                () -> FilterExpression.parse("-json.a =~ (0..9223372036854775807)").test(message)))
        .isFalse();
  }

  private static boolean within(BooleanSupplier judging) {
    return assertTimeoutPreemptively(Duration.ofSeconds(60), judging::getAsBoolean);
  }
}
