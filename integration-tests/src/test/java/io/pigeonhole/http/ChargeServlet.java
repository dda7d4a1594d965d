package io.pigeonhole.http;

import io.pigeonhole.core.idempotency.StoredResponse;
import io.pigeonhole.jdbc.JdbcContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Runs the second example of {@code docs/http.md}. */
final class ChargeServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient ChargeHandler handler;

    ChargeServlet(ChargeHandler handler) {
        this.handler = handler;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        try {
            StoredResponse answer = handler.handle(IdempotencyFilter.<JdbcContext>steps(request))
                    .response();
            response.setStatus(answer.status());
            response.getOutputStream().write(answer.body());
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ServletException(e);
        }
    }
}
