import type { FunctionComponent } from 'preact'
import type { Kind } from './resources/kind.js'

/** A page that the frame leads to. */
export interface SectionPage {
  /** Below the origin: `/ui/…`. */
  readonly path: string
  readonly title: string
  /** The key that leads there, after `g`. */
  readonly key: string
  readonly page: FunctionComponent
  /** What it lists; each of them has a page of its own, below it. */
  readonly kind?: Kind
  /** Whether it shows what was, too, where somebody looks at the past; pages of kinds do. */
  readonly hasPast?: true
  /** Pages that its own leads to, and the frame does not. */
  readonly further?: readonly Pick<SectionPage, 'path' | 'page'>[]
}

export interface UiSection {
  readonly title: string
  readonly places: readonly SectionPage[]
}
