package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.AdmissionControl;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.StreamTokens;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The routes for streams of messages. Their method is POST, because a stream changes state: a page
 * of another site can make a browser send a GET without an origin. A GET, which is all that a
 * browser's {@code EventSource} sends, opens a stream only with a token that a POST has made.
 */
final class StreamRoute {
  private static final String PATH = "/v1/queues/{queue}/subscribers/{subscriber}/stream";
  private static final Set<String> OPTIONS = Set.of("credit", "create", "owner");
  private static final Set<String> BY_TOKEN = Set.of("credit", "owner", StreamTokens.PARAMETER);
  private static final int CREDIT = 100;
  private static final int MAX_CREDIT = 10_000;

  private final QueueResolver queues;
  private final StreamRegistry streams;
  private final AdmissionControl admission;
  private final StreamTokens tokens;

  StreamRoute(
      QueueResolver queues,
      StreamRegistry streams,
      AdmissionControl admission,
      StreamTokens tokens) {
    this.queues = queues;
    this.admission = admission;
    this.streams = streams;
    this.tokens = tokens;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(HttpMethod.POST, PATH, Right.CONSUME, OPTIONS, this::stream),
        new Endpoint(HttpMethod.GET, PATH, Right.CONSUME, BY_TOKEN, this::streamByToken),
        new Endpoint(
            HttpMethod.POST, PATH + "-tokens", Right.CONSUME, Set.of("create"), this::issueToken));
  }

  record TokenJson(String token, long leftMillis) {}

  private Future<ApiResponse> issueToken(ApiRequest call) {
    String queue = call.name("queue");
    String subscriber = call.name("subscriber");
    Boolean create = call.flag("create");
    return call.blocking(
        () -> {
          var unused = queues.subscription(call.access(), queue, subscriber, create);
          TokenJson issued =
              new TokenJson(
                  tokens.issue(call.access(), queue, subscriber), StreamTokens.LIFETIME.toMillis());
          return ApiResponse.json(201, ApiResponse.buffer(issued));
        });
  }

  private Future<ApiResponse> streamByToken(ApiRequest call) {
    return call.request().method().equals(HttpMethod.HEAD)
        ? Future.succeededFuture(
            new ApiResponse(
                200,
                StreamFormat.of(call, StreamFormat.LINES, StreamFormat.EVENTS).type(),
                Buffer.buffer()))
        : stream(call, false);
  }

  private Future<ApiResponse> stream(ApiRequest call) {
    return stream(call, call.flag("create"));
  }

  private Future<ApiResponse> stream(ApiRequest call, @Nullable Boolean create) {
    int credit = call.query("credit", CREDIT, MAX_CREDIT);
    call.name("queue");
    call.name("subscriber");
    StreamFormat format = StreamFormat.of(call, StreamFormat.LINES, StreamFormat.EVENTS);
    admission.admitWaiting(call.exchange()::onEnd);
    return call.blocking(
            () ->
                queues
                    .subscription(
                        call.access(), call.name("queue"), call.name("subscriber"), create)
                    .subscriber()
                    .by(call.query("owner")))
        .compose(hosted -> streams.open(call, hosted, credit, format));
  }
}
