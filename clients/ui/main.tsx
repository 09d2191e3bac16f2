// Puts the pages into the document.
import { render } from 'preact'
import { App } from './app.js'
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

carryMoment()
render(<App />, document.body)
