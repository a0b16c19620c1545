import{c as t}from"./part-EBXJO7LH.js";function r(i,e){let n=async()=>{let o=await e();o.ok||t(o.problem.detail??o.problem.title,{kind:"failed"})};t(i,{undo:()=>{n()}})}export{r as a};
