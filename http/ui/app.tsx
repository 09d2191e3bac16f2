// The frame of all pages, and which page is at which address.
import { useEffect } from 'preact/hooks'
import { ErrorBoundary, lazy, LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { listen } from './keyboard.js'
import { EnterPage } from './pages/enter.js'
import { EventsPage } from './pages/events/events.js'
import { ThingPage } from './pages/thing/thing.js'
import { ThingsPage } from './pages/things.js'
import { isKnown, leave } from './session/session.js'
import { kinds } from './things/kinds.js'

const ExplainPage = lazy(async () => (await import('./pages/access/explain.js')).ExplainPage)
const ServerPage = lazy(async () => (await import('./pages/server/server.js')).ServerPage)

const Places = () => {
  const { path, route } = useLocation()
  useEffect(() => listen(route), [route])
  const link = (to: string, title: string, key: string) => (
    <a href={to} aria-current={path === to ? 'page' : undefined} title={`g ${key}`} key={to}>
      {title}
    </a>
  )
  return (
    <nav class="places" aria-label="Pages">
      <strong>Annals</strong>
      {link('/ui/', 'Events', 'e')}
      {kinds.map(kind => link(`/ui/${kind.path}`, kind.title, kind.key))}
      {link('/ui/explain', 'Explain a denial', 'd')}
      {link('/ui/server', 'Server', 'v')}
      {isKnown.value ? (
        <button type="button" onClick={leave}>
          Leave
        </button>
      ) : (
        <a href="/ui/enter">Enter</a>
      )}
    </nav>
  )
}

const Missing = () => (
  <main>
    <h1>There is no such page</h1>
  </main>
)

export const App = () => (
  <LocationProvider scope="/ui">
    <Places />
    <ErrorBoundary>
      <Router>
        <Route path="/ui/" component={EventsPage} />
        <Route path="/ui/enter" component={EnterPage} />
        <Route path="/ui/explain" component={ExplainPage} />
        <Route path="/ui/server" component={ServerPage} />
        {kinds.flatMap(kind => [
          <Route
            key={kind.path}
            path={`/ui/${kind.path}`}
            component={() => <ThingsPage key={kind.path} kind={kind} />}
          />,
          <Route
            key={`${kind.path}/one`}
            path={`/ui/${kind.path}/one`}
            component={() => <ThingPage kind={kind} />}
          />
        ])}
        <Route default component={Missing} />
      </Router>
    </ErrorBoundary>
  </LocationProvider>
)
