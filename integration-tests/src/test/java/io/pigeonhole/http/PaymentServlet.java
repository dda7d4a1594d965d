package io.pigeonhole.http;

import io.pigeonhole.jdbc.JdbcContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** The first example of {@code docs/http.md}. */
final class PaymentServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String amount = request.getReader().readLine();
        JdbcContext context = IdempotencyFilter.context(request, JdbcContext.class);
        context.defer("INSERT INTO payment (amount) VALUES (?)", amount);
        response.setStatus(HttpServletResponse.SC_CREATED);
        response.setContentType("application/json");
        response.getWriter().write("{\"paid\":\"" + amount + "\"}");
    }
}
