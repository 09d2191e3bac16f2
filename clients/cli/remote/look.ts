import { styleText } from 'node:util'
import type { Console } from '../console.js'
import type { Form, Look, Paint } from './output.js'

const plain: Paint = (_, text) => text
// The stream has been checked.
const coloured: Paint = (style, text) => styleText(style, text, { validateStream: false })

const isTerminal = ({ out }: Pick<Console, 'out'>): boolean => 'isTTY' in out && out.isTTY === true

/** Returns a function that adds colors on a terminal, unless NO_COLOR is set (no-color.org). */
export const paintFor = (console: Pick<Console, 'out' | 'env'>): Paint =>
  isTerminal(console) && !console.env['NO_COLOR'] ? coloured : plain

interface LookFlags {
  readonly absolute: boolean
  readonly watch?: boolean
}

/** Outside a terminal, watched reads have absolute times: their output must differ by changes only. */
export const lookOf = (console: Console, { absolute, watch = false }: LookFlags, form: Form): Look => ({
  isWide: form === 'wide',
  isAbsolute: absolute || (watch && !isTerminal(console)),
  paint: paintFor(console),
  now: Date.now()
})
