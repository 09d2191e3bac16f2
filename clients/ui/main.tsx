// Puts the pages into the document.
import { render } from 'preact'
import { carryMoment } from './past/links.js'
import './style/colours.css'
import './style/frame.css'
import './style/forms.css'
import './style/content.css'
import './style/parts.css'
import './style/events.css'
import './style/narrow.css'
import './style/past.css'
import './style/keys.css'
import './style/server.css'
import './style/access.css'
import './style/code.css'
import './style/catalog.css'
import './style/mesh.css'
import { useEffect } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { places } from './areas.js'
import { KeysHelp, showKeys } from './frame/keys-help.js'
import { QuickOpenDialog, showQuickOpen } from './frame/quick-open-dialog.js'
import { Places } from './frame/places.js'
import { listen } from './keyboard.js'
import { EnterPage } from './pages/enter.js'
import { CallbackPage } from './pages/log-in/callback.js'
import { ThingPage } from './pages/thing/thing.js'
import { Heading } from './parts/heading.js'
import { Said, say } from './parts/said.js'
import { CALLBACK } from './session/log-in.js'
import { AsOf } from './past/as-of.js'
import { carried as carriedMoment } from './past/moment.js'
import { carried } from './session/tenancy.js'
import type { Kind } from './things/kind.js'

/** Another thing is another page: nothing of the one before stays in it. */
const OneOf = ({ kind }: { readonly kind: Kind }) => {
  const { path, query } = useLocation()
  const { key = '', ns = '', partition = '', node = '' } = query
  // It stays until the next page is loaded, whose address says nothing of a thing.
  if (!path.endsWith('/one')) return null
  return <ThingPage key={JSON.stringify([key, ns, partition, node])} kind={kind} />
}

const Missing = () => (
  <main>
    <Heading>There is no such page</Heading>
  </main>
)

const Page = () => {
  const { path, route } = useLocation()
  useEffect(
    () =>
      listen(places, { go: to => route(carriedMoment(carried(to))), help: showKeys, open: showQuickOpen }),
    [route]
  )
  useEffect(() => say(''), [path])
  return (
    <ErrorBoundary>
      <AsOf>
        <Router>
          <Route path="/ui/enter" component={EnterPage} />
          <Route path={CALLBACK} component={CallbackPage} />
          {places.flatMap(({ path: place, page, kind, further = [] }) => [
            <Route key={place} path={place} component={page} />,
            ...further.map(each => <Route key={each.path} path={each.path} component={each.page} />),
            ...(kind
              ? [<Route key={`${place}/one`} path={`${place}/one`} component={() => <OneOf kind={kind} />} />]
              : [])
          ])}
          <Route default component={Missing} />
        </Router>
      </AsOf>
    </ErrorBoundary>
  )
}

const App = () => (
  <LocationProvider scope="/ui">
    <Places />
    <Page />
    <Said />
    <KeysHelp />
    <QuickOpenDialog />
  </LocationProvider>
)

carryMoment()
render(<App />, document.body)
