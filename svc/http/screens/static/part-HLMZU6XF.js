import{a,b}from"./part-CL4MXIPJ.js";import"./part-CTJOP3OQ.js";import"./part-RCH24VPI.js";export{b as SignInCard,a as default};
