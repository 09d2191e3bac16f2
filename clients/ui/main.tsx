// Puts the pages into the document.
import { render } from 'preact'
import { keepAsOf } from './past/links.js'
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
import { sectionPages } from './areas.js'
import { KeysHelp, showKeys } from './frame/keys-help.js'
import { QuickOpenDialog, showQuickOpen } from './frame/quick-open-dialog.js'
import { Navigation } from './frame/places.js'
import { listen } from './keyboard.js'
import { SignInPage } from './pages/enter.js'
import { CallbackPage } from './pages/log-in/callback.js'
import { ResourcePage } from './pages/thing/thing.js'
import { Heading } from './parts/heading.js'
import { StatusAnnouncer, announce } from './parts/said.js'
import { CALLBACK } from './session/log-in.js'
import { AsOf } from './past/as-of.js'
import { withAsOf as carriedMoment } from './past/moment.js'
import { withTenancy } from './session/tenancy.js'
import type { Kind } from './things/kind.js'

/** Another thing is another page: nothing of the one before stays in it. */
const OneOf = ({ kind }: { readonly kind: Kind }) => {
  const { path, query } = useLocation()
  const { key = '', ns = '', partition = '', node = '' } = query
  // It stays until the next page is loaded, whose address says nothing of a thing.
  if (!path.endsWith('/one')) return null
  return <ResourcePage key={JSON.stringify([key, ns, partition, node])} kind={kind} />
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
      listen(sectionPages, {
        go: to => route(carriedMoment(withTenancy(to))),
        help: showKeys,
        open: showQuickOpen
      }),
    [route]
  )
  useEffect(() => announce(''), [path])
  return (
    <ErrorBoundary>
      <AsOf>
        <Router>
          <Route path="/ui/enter" component={SignInPage} />
          <Route path={CALLBACK} component={CallbackPage} />
          {sectionPages.flatMap(({ path: place, page, kind, further = [] }) => [
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
    <Navigation />
    <Page />
    <StatusAnnouncer />
    <KeysHelp />
    <QuickOpenDialog />
  </LocationProvider>
)

keepAsOf()
render(<App />, document.body)
