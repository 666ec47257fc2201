/** The parts of an OpenAPI document that the service uses. */

export type OpenApiObject = Readonly<Record<string, unknown>>;

/** The service as an OpenAPI 3.1 document, from the catalogue. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenApiObject>>;
    readonly securitySchemes?: Readonly<Record<string, OpenApiObject>>;
  };
}

export type PathItem = Readonly<Partial<Record<'get' | 'post', Operation>>>;

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
  readonly security?: readonly OpenApiObject[];
  /** Bounds of a block range, which the schema of a single parameter cannot express. */
  readonly 'x-block-range'?: OpenApiObject;
}

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, OpenApiObject>>;
  readonly content: Content;
}

export type Content = Readonly<Record<string, { readonly schema: OpenApiObject }>>;

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: OpenApiObject;
  readonly example?: string;
}
