import { styleText } from 'node:util'
import type { Console } from '../console.js'
import type { Form, Look, Paint } from './output.js'

const plain: Paint = (_, text) => text
// The stream has been checked.
const coloured: Paint = (style, text) => styleText(style, text, { validateStream: false })

/** Returns a function that adds colors on a terminal, unless NO_COLOR is set (no-color.org). */
export const paintFor = ({ out, env }: Pick<Console, 'out' | 'env'>): Paint =>
  'isTTY' in out && out.isTTY === true && !env['NO_COLOR'] ? coloured : plain

export const lookOf = (console: Console, { absolute }: { readonly absolute: boolean }, form: Form): Look => ({
  isWide: form === 'wide',
  isAbsolute: absolute,
  paint: paintFor(console),
  now: Date.now()
})
