import {
  CircleCheck,
  CircleHelp,
  CircleX,
  History,
  Trash2,
  TriangleAlert,
  Wrench,
  type IconNode
} from 'lucide'
import type { ComponentChildren } from 'preact'
import { Icon } from './icon.js'

/** Severity of a state; `plain` is neutral. */
export type Tone = 'good' | 'warn' | 'bad' | 'plain'

export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
)

/** States differ by shape as well as by colour. */
export const STATES: Readonly<Record<string, readonly [Tone, IconNode]>> = {
  passing: ['good', CircleCheck],
  warning: ['warn', TriangleAlert],
  critical: ['bad', CircleX],
  maintenance: ['warn', Wrench],
  deleted: ['plain', Trash2],
  past: ['warn', History],
  unknown: ['plain', CircleHelp]
}

const UNKNOWN = ['plain', CircleHelp] as const

export const Status = ({ of }: { readonly of: string }) => {
  const [tone, icon] = STATES[of] ?? UNKNOWN
  return (
    <Badge tone={tone}>
      <Icon of={icon} /> {of}
    </Badge>
  )
}
