// Puts the pages into the document.
import { render } from 'preact'
import { App } from './app.js'
import './style.css'

render(<App />, document.body)
