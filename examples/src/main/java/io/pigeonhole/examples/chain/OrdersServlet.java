package io.pigeonhole.examples.chain;

import io.pigeonhole.http.IdempotencyFilter;
import io.pigeonhole.jdbc.JdbcContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Places an order: counts the orders of its customer, writes it, and appends that it was placed, all in the transaction of the
 * idempotency key. Since it changes the row of the customer before it appends, messages of a customer are in the order of its numbers.
 */
public final class OrdersServlet extends HttpServlet {
    /** The header by which a client asks the service to fail behind its writes. */
    static final String FAILURE = "Simulated-Failure";

    /** The service is to answer 500. */
    static final String ANSWER = "answer";

    /** The service is to throw. */
    static final String EXCEPTION = "exception";

    private static final long serialVersionUID = 1L;

    private static final JsonMapper JSON = JsonMapper.shared();

    /** For Jetty. */
    public OrdersServlet() {}

    /**
     * What a client sends.
     *
     * @param reference how the client calls the order
     * @param customer whose it is
     * @param amount in cents
     */
    record Request(String reference, int customer, long amount) {
        String toJson() {
            return JSON.writeValueAsString(this);
        }
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        Request wanted = JSON.readValue(request.getInputStream().readAllBytes(), Request.class);
        JdbcContext context = IdempotencyFilter.context(request, JdbcContext.class);
        Order order;
        try {
            order = place(wanted, context.connection());
        } catch (SQLException e) {
            throw new ServletException(e);
        }
        context.outbox().append(order.to(Stage.PLACED));
        String failure = request.getHeader(FAILURE);
        if (failure == null) {
            write(response, HttpServletResponse.SC_CREATED, order.toJson());
        } else {
            fail(failure, response, order);
        }
    }

    private static Order place(Request wanted, Connection connection) throws SQLException {
        Order order = new Order(
                wanted.reference(), wanted.customer(), nextNumber(wanted.customer(), connection), wanted.amount());
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO orders (reference, customer, number, amount) VALUES (?, ?, ?, ?)")) {
            insert.setString(1, order.reference());
            insert.setInt(2, order.customer());
            insert.setInt(3, order.number());
            insert.setLong(4, order.amount());
            insert.executeUpdate();
        }
        return order;
    }

    private static int nextNumber(int customer, Connection connection) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE customer SET orders = orders + 1 WHERE id = ? RETURNING orders")) {
            update.setInt(1, customer);
            try (ResultSet result = update.executeQuery()) {
                if (!result.next()) {
                    throw new SQLException("there is no customer " + customer);
                }
                return result.getInt(1);
            }
        }
    }

    private static void fail(@Nullable String how, HttpServletResponse response, Order order) throws IOException {
        if (EXCEPTION.equals(how)) {
            throw new SimulatedFailureException(order.reference() + " was to fail");
        }
        write(response, HttpServletResponse.SC_INTERNAL_SERVER_ERROR, "{}");
    }

    private static void write(HttpServletResponse response, int status, String json) throws IOException {
        response.setStatus(status);
        response.setContentType("application/json");
        response.getOutputStream().write(json.getBytes(StandardCharsets.UTF_8));
    }
}
