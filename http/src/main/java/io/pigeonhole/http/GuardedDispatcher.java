package io.pigeonhole.http;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;

/**
 * Forwards within a guarded request as containers do: what was written before is dropped, and nothing is written behind. Jetty does that to its
 * own response only.
 */
record GuardedDispatcher(RequestDispatcher dispatcher) implements RequestDispatcher {
    @Override
    public void forward(ServletRequest request, ServletResponse response) throws ServletException, IOException {
        GuardedResponse kept = GuardedResponse.within(response);
        if (kept == null || kept.isCommitted()) {
            dispatcher.forward(request, response);
            return;
        }
        kept.beginForward();
        dispatcher.forward(request, response);
        // Where it is wrapped, the wrapper may have the content yet.
        if (response == kept) {
            kept.end();
        }
    }

    @Override
    public void include(ServletRequest request, ServletResponse response) throws ServletException, IOException {
        dispatcher.include(request, response);
    }
}
