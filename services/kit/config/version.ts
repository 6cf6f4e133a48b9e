import manifest from '../../../package.json' with { type: 'json' }

/** The one version: of the package, the OpenAPI document, each log line and the metric `build_info`. */
export const VERSION: string = manifest.version
