// The frame of all pages, and which page is at which address.
import { useEffect } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { areas, places } from './areas.js'
import { listen } from './keyboard.js'
import { EnterPage } from './pages/enter.js'
import { ThingPage } from './pages/thing/thing.js'
import { isKnown, leave } from './session/session.js'
import { TenancySwitch } from './session/tenancy-switch.js'
import { carried } from './session/tenancy.js'

const Places = () => {
  const { path, route } = useLocation()
  useEffect(() => listen(places, to => route(carried(to))), [route])
  return (
    <nav class="places" aria-label="Pages">
      <strong>Annals</strong>
      <TenancySwitch />
      {areas.map(area => (
        <div key={area.title} role="group" aria-label={area.title}>
          <h2>{area.title}</h2>
          {area.places.map(place => (
            <a
              href={carried(place.path)}
              aria-current={path === place.path ? 'page' : undefined}
              title={`g ${place.key}`}
              key={place.path}
            >
              {place.title}
            </a>
          ))}
        </div>
      ))}
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
        <Route path="/ui/enter" component={EnterPage} />
        {places.flatMap(({ path, page, kind }) => [
          <Route key={path} path={path} component={page} />,
          ...(kind
            ? [<Route key={`${path}/one`} path={`${path}/one`} component={() => <ThingPage kind={kind} />} />]
            : [])
        ])}
        <Route default component={Missing} />
      </Router>
    </ErrorBoundary>
  </LocationProvider>
)
