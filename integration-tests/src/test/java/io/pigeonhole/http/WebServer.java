package io.pigeonhole.http;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.MultipartConfigElement;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.security.Principal;
import java.util.EnumSet;
import java.util.List;
import org.eclipse.jetty.ee10.servlet.ErrorPageErrorHandler;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.ee10.servlet.security.ConstraintSecurityHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/** A Jetty with one servlet behind filters. */
final class WebServer implements AutoCloseable {
    private static final String PATTERN = "/payments/*";

    private final Server server;
    private final ServerConnector connector;

    WebServer(Application application, List<? extends Filter> filters, @Nullable ConstraintSecurityHandler security) {
        this(application, filters, security, EnumSet.of(DispatcherType.REQUEST));
    }

    WebServer(
            Application application,
            List<? extends Filter> filters,
            @Nullable ConstraintSecurityHandler security,
            EnumSet<DispatcherType> dispatches) {
        this(application, filters, security, dispatches, null);
    }

    WebServer(
            Application application,
            List<? extends Filter> filters,
            @Nullable ConstraintSecurityHandler security,
            EnumSet<DispatcherType> dispatches,
            @Nullable String errorPage) {
        QueuedThreadPool threads = new QueuedThreadPool(120);
        threads.setDaemon(true);
        server = new Server(threads);
        connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler("/");
        if (security != null) {
            context.setSecurityHandler(security);
        }
        if (errorPage != null) {
            ErrorPageErrorHandler errors = new ErrorPageErrorHandler();
            errors.addErrorPage(400, 599, errorPage);
            context.setErrorHandler(errors);
        }
        ServletHolder servlet = new ServletHolder(new ApplicationServlet(application));
        servlet.setAsyncSupported(true);
        servlet.getRegistration().setMultipartConfig(new MultipartConfigElement(""));
        context.addServlet(servlet, PATTERN);
        for (Filter filter : filters) {
            FilterHolder holder = new FilterHolder(filter);
            holder.setAsyncSupported(true);
            context.addFilter(holder, "/*", dispatches);
        }
        server.setHandler(context);
        try {
            server.start();
        } catch (Exception e) {
            throw new AssertionError("Jetty does not start", e);
        }
    }

    /** Takes the header {@code X-User} for the user, as a gateway does that has authenticated the request. */
    static Filter users() {
        return (request, response, chain) -> {
            HttpServletRequest http = (HttpServletRequest) request;
            String user = http.getHeader("X-User");
            chain.doFilter(
                    new HttpServletRequestWrapper(http) {
                        @Override
                        public @Nullable Principal getUserPrincipal() {
                            return user == null ? null : () -> user;
                        }
                    },
                    response);
        };
    }

    int port() {
        return connector.getLocalPort();
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port() + path);
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new AssertionError("Jetty does not stop", e);
        }
    }

    private static final class ApplicationServlet extends HttpServlet {
        private static final long serialVersionUID = 1L;

        private final transient Application application;

        ApplicationServlet(Application application) {
            this.application = application;
        }

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response)
                throws ServletException, IOException {
            try {
                application.handle(request, response);
            } catch (ServletException | IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new ServletException(e);
            }
        }
    }
}
