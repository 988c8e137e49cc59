package com.wookler.river.rest.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.TimeSource;
import com.wookler.river.rest.server.hosting.AdmissionControl;
import com.wookler.river.rest.server.hosting.ServerLimits;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A request ends, whatever its response is. */
class HttpExchangeTest {
  private static final ServerLimits LIMITS =
      new ServerLimits(1, 1, 1, 1, 1, 4, 1, Duration.ofSeconds(1), Duration.ofSeconds(1));

  private int status;
  private boolean ended;

  private final HttpServerResponse response = proxy(HttpServerResponse.class, this::respond);
  private final HttpServerRequest request =
      proxy(
          HttpServerRequest.class,
          (self, method, arguments) ->
              switch (method.getName()) {
                case "response" -> response;
                case "method" -> HttpMethod.GET;
                case "isEnded" -> true;
                default -> self;
              });

  private static <T> T proxy(Class<T> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }

  private Object respond(Object self, Method method, Object[] arguments) {
    switch (method.getName()) {
      case "putHeader" -> {
        if (arguments[0].toString().contains(" ")) {
          throw new IllegalArgumentException("a header name contains a space");
        }
      }
      case "setStatusCode" -> status = (int) arguments[0];
      case "end" -> ended = true;
      default -> {}
    }
    if (method.getReturnType() == boolean.class) {
      return ended;
    }
    return method.getReturnType() == Future.class ? Future.succeededFuture() : self;
  }

  @Test
  void shouldFailAResponseThatCannotBeSent() {
    HttpExchange exchange =
        new HttpExchange(
            request,
            proxy(Context.class, (self, method, arguments) -> self),
            "1",
            new AdmissionControl(LIMITS, TimeSource.system()).budget());
    AtomicBoolean lost = new AtomicBoolean();
    exchange.onLost(() -> lost.set(true));
    exchange.sendOrFail(
        new ApiResponse(200, ApiResponse.JSON, Buffer.buffer("{}"), Map.of("a b", "c")));

    assertThat(ended).isTrue();
    assertThat(status).isEqualTo(500);
    assertThat(lost).isTrue();
  }
}
