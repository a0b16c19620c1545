import{e as t,k as e}from"./part-GGBQFXN7.js";var r=t(null),d=r.Provider;function m(){let o=e(r);if(o===null)throw new Error("no editor around");return o}export{d as a,m as b};
