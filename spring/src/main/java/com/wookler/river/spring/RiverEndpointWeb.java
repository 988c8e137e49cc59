package com.wookler.river.spring;

import com.wookler.river.spring.RiverEndpoint.ActionView;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** Answers a write over HTTP with 404 where there is nothing to change; Spring's answer is 204. */
@EndpointWebExtension(endpoint = RiverEndpoint.class)
final class RiverEndpointWeb {
  private final RiverEndpoint endpoint;

  RiverEndpointWeb(RiverEndpoint endpoint) {
    this.endpoint = endpoint;
  }

  @WriteOperation
  public WebEndpointResponse<@Nullable ActionView> change(
      @Selector String queue, @Selector String subscriber, @Selector String action) {
    ActionView changed = endpoint.change(queue, subscriber, action);
    int status =
        changed == null ? WebEndpointResponse.STATUS_NOT_FOUND : WebEndpointResponse.STATUS_OK;
    return new WebEndpointResponse<>(changed, status);
  }
}
