// Puts the pages into the document.
import { render } from 'preact'
import { App } from './app.js'
import './style/frame.css'
import './style/content.css'
import './style/server.css'
import './style/code.css'
import './style/narrow.css'

render(<App />, document.body)
