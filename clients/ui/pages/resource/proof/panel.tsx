// Says what was proved of a version in this browser, and in red what was not. What checks it is loaded when somebody asks.
import { lazy } from 'preact-iso'

export const Proof = lazy(async () => (await import('./result.js')).ProofResult)
